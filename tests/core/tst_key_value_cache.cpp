// Continuing sequences from their caches against the float64 references of the whole sequences.
#include "core/model/forward.h"
#include "core/model/rotary_table.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_key_value_cache {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;

namespace {

std::int32_t argmax(const Eigen::VectorXf& column) {
    Eigen::Index best = 0;
    column.maxCoeff(&best);
    return static_cast<std::int32_t>(best);
}

struct Reference {
    Ids ids;  // two sequences, one after the other
    std::int64_t length = 0;
    std::vector<std::int32_t> greedy;  // 16 ids a sequence
    std::vector<float> logits;         // (vocabulary, length) of sequence 0
};

Reference referenceOf(const std::filesystem::path& folder) {
    const SafetensorsFile file = SafetensorsFile::open(folder / "oracle.safetensors");
    Reference reference;
    reference.ids = oracle::values<std::int32_t>(file.require("ids"));
    reference.length = file.require("ids").shape[1];
    reference.greedy = oracle::values<std::int32_t>(file.require("greedy_ids"));
    reference.logits = oracle::values<float>(file.require("logits_seq0"));
    return reference;
}

}  // namespace

class TestKeyValueCache : public QObject {
    Q_OBJECT

    ThreadPool m_pool;

    void architectureRows() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"a_llama_gqa", "b_llama3_rope", "d_qwen2", "f_llama_bf16_sharded",
                                 "h_llama_rope_linear"}) {
            QTest::newRow(name) << name;
        }
    }

  private slots:
    void logitsInPieces_data() { architectureRows(); }

    // Pieces of 1, 2, 3, … tokens; the second sequence rides along in pieces of another size.
    void logitsInPieces() {
        QFETCH(const QString, name);
        const auto folder = oracle::file("arch/" + name.toStdString());
        if (folder.empty()) {
            QSKIP("reference results are absent: shared/oracle/arch");
        }
        const Model model = Model::load(folder, {&m_pool, {}});
        const Reference reference = referenceOf(folder);
        const std::span<const std::int32_t> first(reference.ids.data(),
                                                  static_cast<std::size_t>(reference.length));
        const std::span<const std::int32_t> second = std::span(reference.ids).subspan(first.size());
        ForwardPass pass(model, m_pool);
        KeyValueCache cache(model.config());
        KeyValueCache other(model.config());
        double worst = 0;
        std::size_t done = 0;
        for (std::size_t piece = 1; done < first.size(); ++piece) {
            const std::size_t count = std::min(piece, first.size() - done);
            const std::size_t otherDone = static_cast<std::size_t>(other.length());
            const Continuation batch[] = {
                {&other,
                 second.subspan(otherDone, std::min<std::size_t>(5, second.size() - otherDone))},
                {&cache, first.subspan(done, count)}};
            const auto columns = static_cast<Eigen::Index>(count);
            const Eigen::MatrixXf logits = pass.logits(pass.extend(batch).rightCols(columns));
            const Eigen::Map<const Eigen::MatrixXf> expected(
                reference.logits.data() + static_cast<std::ptrdiff_t>(done) * logits.rows(),
                logits.rows(), columns);
            worst = std::max(worst, static_cast<double>((logits - expected).cwiseAbs().maxCoeff()));
            done += count;
        }
        QCOMPARE(cache.length(), reference.length);
        qInfo("largest deviation of a logit: %.2e", worst);
        QVERIFY(worst < 5e-4);
    }

    void greedyTokenByToken_data() { architectureRows(); }

    void greedyTokenByToken() {
        QFETCH(const QString, name);
        const auto folder = oracle::file("arch/" + name.toStdString());
        if (folder.empty()) {
            QSKIP("reference results are absent: shared/oracle/arch");
        }
        const Model model = Model::load(folder, {&m_pool, {}});
        const Reference reference = referenceOf(folder);
        ForwardPass pass(model, m_pool);
        for (std::int64_t s = 0; s < 2; ++s) {
            KeyValueCache cache(model.config());
            Ids next(reference.ids.begin() + s * reference.length,
                     reference.ids.begin() + (s + 1) * reference.length);
            for (std::size_t i = 0; i < 16; ++i) {
                const Continuation one[] = {{&cache, next}};
                const Eigen::MatrixXf hidden = pass.extend(one);
                next = {argmax(pass.logits(hidden.rightCols(1)).col(0))};
                QCOMPARE(next[0], reference.greedy[16 * static_cast<std::size_t>(s) + i]);
            }
        }
    }

    // Windows, long positions, q/k norms: pieces of seven tokens, then greedily one by one.
    void featuresAcrossPieces_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"mistral_window", "qwen3", "qwen25", "llama31_long", "llama2"}) {
            QTest::newRow(name) << name;
        }
    }

    void featuresAcrossPieces() {
        QFETCH(const QString, name);
        const std::filesystem::path folder =
            std::filesystem::path(COSPADI_TEST_DATA) / "arch" / name.toStdString();
        const Model model = Model::load(folder, {&m_pool, {}});
        const SafetensorsFile file = SafetensorsFile::open(folder / "oracle.safetensors");
        const auto ids = oracle::values<std::int32_t>(file.require("ids"));
        const auto positions = oracle::values<std::int32_t>(file.require("positions"));
        const auto expected = oracle::values<float>(file.require("logits"));
        ForwardPass pass(model, m_pool);
        KeyValueCache cache(model.config());
        const auto extend = [&](std::span<const std::int32_t> part) {
            const Continuation one[] = {{&cache, part}};
            return pass.logits(pass.extend(one));
        };
        Eigen::MatrixXf logits(model.config().vocabularySize,
                               static_cast<Eigen::Index>(ids.size()));
        for (std::size_t done = 0; done < ids.size(); done += 7) {
            const std::size_t count = std::min<std::size_t>(7, ids.size() - done);
            logits.middleCols(static_cast<Eigen::Index>(done), static_cast<Eigen::Index>(count)) =
                extend(std::span(ids).subspan(done, count));
        }
        double worst = 0;
        for (std::size_t p = 0; p < positions.size(); ++p) {
            const Eigen::Map<const Eigen::VectorXf> truth(
                expected.data() + static_cast<std::ptrdiff_t>(p) * logits.rows(), logits.rows());
            worst = std::max(worst, static_cast<double>(
                                        (logits.col(positions[p]) - truth).cwiseAbs().maxCoeff()));
        }
        qInfo("largest deviation of a logit: %.2e", worst);
        QVERIFY(worst < 5e-4);
        Eigen::VectorXf last = logits.rightCols(1);
        for (const std::int32_t next : oracle::values<std::int32_t>(file.require("greedy"))) {
            const Ids chosen{argmax(last)};
            QCOMPARE(chosen[0], next);
            last = extend(chosen).col(0);
        }
    }

    // A prefix is kept, what followed it is forgotten: the continuation is that of a fresh cache.
    void truncatedPrefix() {
        const auto folder = oracle::file("arch/a_llama_gqa");
        const Model model = Model::load(folder, {&m_pool, {}});
        const Reference reference = referenceOf(folder);
        ForwardPass pass(model, m_pool);
        const std::span<const std::int32_t> ids(reference.ids);
        const auto extend = [&](KeyValueCache& cache, std::span<const std::int32_t> part) {
            const Continuation one[] = {{&cache, part}};
            return pass.extend(one);
        };
        KeyValueCache cache(model.config());
        extend(cache, ids.first(20));
        const KeyValueCache copy = cache;
        extend(cache, ids.last(70));
        QCOMPARE(cache.length(), 90);
        cache = cache.firstTokens(20);
        KeyValueCache continued = copy;
        const Eigen::MatrixXf again = extend(cache, ids.subspan(20, 9));
        QVERIFY((again.array() == extend(continued, ids.subspan(20, 9)).array()).all());
        KeyValueCache fresh(model.config());
        const Eigen::MatrixXf whole = extend(fresh, ids.first(29));
        QVERIFY((again - whole.rightCols(9)).norm() < 1e-5F * again.norm());
        QVERIFY(!oracle::errorOf([&] { cache.firstTokens(30); }).isEmpty());

        const Ids foreign{3, -1};
        QVERIFY(oracle::errorOf([&] { extend(cache, foreign); }).contains("-1"));
        QCOMPARE(cache.length(), 29);
    }

    // As generation asks for them, one more with every token.
    void rotationsOfOneMorePosition() {
        constexpr std::int64_t kPositions = 512;
        ModelConfig config;
        config.headDim = 128;
        RotaryTable whole(config);
        whole.growTo(kPositions);
        RotaryTable grown(config);
        for (std::int64_t positions = 1; positions <= kPositions; ++positions) {
            grown.growTo(positions);
        }
        for (std::int64_t position = 0; position < kPositions; ++position) {
            Eigen::VectorXf a = Eigen::VectorXf::LinSpaced(config.headDim, -1, 2);
            Eigen::VectorXf b = a;
            whole.rotate(a.data(), position);
            grown.rotate(b.data(), position);
            QVERIFY(a == b);
            whole.rotateBack(a.data(), position);
            grown.rotateBack(b.data(), position);
            QVERIFY(a == b);
        }
    }
};

COSPADI_TEST(TestKeyValueCache)

}  // namespace tst_key_value_cache

#include "tst_key_value_cache.moc"
