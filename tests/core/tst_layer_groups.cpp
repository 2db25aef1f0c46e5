// Layers that share a factor: which they are, that the shared factor is the best one in the mean
// Gram's metric, what lies on disk, and that runs with them resume and load as any other.
#include <fmt/format.h>

#include <QtTest>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_file.h"
#include "small_runs.h"
#include "tests/core/message_of.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_layer_groups {

using namespace cospadi;
using small_runs::bytesIn;
using small_runs::logitsOf;
namespace fs = std::filesystem;

namespace {

std::vector<LayerInfo> layersOfBlocks(int blocks) {
    std::vector<LayerInfo> layers;
    for (int block = 0; block < blocks; ++block) {
        for (const std::string_view kind : kLayerKinds) {
            LayerInfo layer;
            layer.name = layerName(block, kind);
            layer.block = block;
            layer.kind = kind;
            layer.gramKey = gramKeyOf(block, kind);
            layer.d1 = kind == "ffn_down" ? 160 : 64;
            layer.d2 = kind == "ffn_down" || kind == "attn_output" ? 64 : 96;
            layers.push_back(layer);
        }
    }
    return layers;
}

std::vector<LayerUnit> units(const std::string& groups, int blocks = 5) {
    MatrixOptions options;
    setOwnOption(options, "groups", groups);
    return unitsOf(options, layersOfBlocks(blocks));
}

std::vector<std::string> ids(const std::vector<LayerUnit>& all) {
    std::vector<std::string> names;
    for (const LayerUnit& unit : all) {
        names.push_back(unit.id());
    }
    return names;
}

std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const SafetensorsFile file = SafetensorsFile::open(entry.path());
        std::string& bytes = files[entry.path().filename().string()];
        for (const TensorView& tensor : file.tensors()) {
            bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
        }
    }
    return files;
}

}  // namespace

class TestLayerGroups : public QObject, SmallModelFixture {
    Q_OBJECT

    RunSpecification specification(const char* method, const char* groups) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.calibration = small_runs::onText(12, 64);
        setOwnOption(s, "groups", std::string(groups));
        return s;
    }

  private slots:
    void initTestCase() { makeModel(); }

    void unitsByRule() {
        QCOMPARE(ids(units("none")).size(), std::size_t{35});
        const std::vector<std::string> pairs = ids(units("pairs"));
        // 5 kinds in (0, 1), (2, 3) and 4 alone, o and down by themselves.
        QCOMPARE(pairs.size(), std::size_t{5 * 3 + 2 * 5});
        QCOMPARE(pairs[0], std::string("blk.0.attn_q+1"));
        QCOMPARE(pairs[3], std::string("blk.0.attn_output"));
        QCOMPARE(pairs.back(), std::string("blk.4.ffn_down"));
        QCOMPARE(ids(units("2")), pairs);
        QCOMPARE(ids(units("3")).front(), std::string("blk.0.attn_q+2"));
        const std::vector<std::string> kinds = ids(units("kind"));
        QCOMPARE(kinds.size(), std::size_t{7});
        QCOMPARE(kinds.back(), std::string("blk.0.ffn_down+4"));
        const std::vector<std::string> inputs = ids(units("inputs", 1));
        QCOMPARE(inputs, (std::vector<std::string>{"blk.0.attn_q+2", "blk.0.attn_output",
                                                   "blk.0.ffn_gate+1", "blk.0.ffn_down"}));
        QCOMPARE(ids(units("inputs-1")), ids(units("inputs")));
        // Of blocks (0, 1), (2, 3) and 4.
        const auto blocks = units("inputs-2");
        QCOMPARE(blocks.size(), std::size_t{2 * 3 + 2 * 5});
        QCOMPARE(blocks.front().id(), std::string("blk.0.attn_q+5"));
        QCOMPARE(blocks.front().layers[4].name, std::string("blk.1.attn_k"));
        QCOMPARE(blocks[2].id(), std::string("blk.0.ffn_gate+3"));
        QVERIFY(blocks.front().shape().d2 == 6 * 96 && !blocks.front().hasOneInput());
        const LayerInfo wide = units("inputs", 1).front().shape();
        QCOMPARE(wide.d1, 64);
        QCOMPARE(wide.d2, 3 * 96);
    }

    void unitsByName() {
        const auto named =
            units("blk.0.attn_q+blk.3.ffn_up;blk.1.attn_k+blk.0.attn_v+blk.2.attn_k");
        QCOMPARE(named.size(), std::size_t{35 - 1 - 2});
        QCOMPARE(named[0].layers[1].name, std::string("blk.3.ffn_up"));
        QCOMPARE(named[2].id(), std::string("blk.0.attn_v+2"));  // in forward order
    }

    void wrongGroupsAreRefusedByName_data() {
        QTest::addColumn<QString>("groups");
        QTest::addColumn<QString>("named");
        QTest::newRow("width") << "blk.0.attn_q+blk.0.ffn_down"
                               << "blk.0.attn_q is 64 by 96, but blk.0.ffn_down is 160 by 64";
        QTest::newRow("unknown") << "blk.0.attn_q+blk.9.attn_q"
                                 << "blk.9.attn_q";
        QTest::newRow("twice") << "blk.0.attn_q+blk.1.attn_q;blk.1.attn_q+blk.2.attn_q"
                               << "blk.1.attn_q";
        QTest::newRow("one") << "blk.0.attn_q"
                             << "blk.0.attn_q";
        QTest::newRow("no blocks") << "inputs-0"
                                   << "'inputs-0' is not a grouping of layers";
        QTest::newRow("one block") << "1"
                                   << "'1' is not a grouping of layers";
        QTest::newRow("no number") << "inputs-x"
                                   << "'inputs-x' is not a grouping of layers";
        QTest::newRow("empty") << "blk.0.attn_q+"
                               << "blk.0.attn_q+";
    }

    void wrongGroupsAreRefusedByName() {
        QFETCH(QString, groups);
        QFETCH(QString, named);
        try {
            static_cast<void>(units(groups.toStdString()));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.problem()).contains(named), error.what());
            QCOMPARE(error.where(), std::string("groups"));
        }
    }

    void whatCannotShareIsRefusedBeforeWorkBegins() {
        const auto refusedField = [](const RunSpecification& s) {
            return whereOf([&] { validate(s); });
        };
        validate(specification("cospadi", "pairs"));
        for (const char* wrong : {"1", "neighbours", "blk.0.attn_q", "a+b;b+c"}) {
            QCOMPARE(whereOf([&] { (void)specification("cospadi", wrong); }),
                     std::string("groups"));
        }
        RunSpecification s = specification("cospadi", "pairs");
        s.allocation = &allocationFromName("knapsack");
        QCOMPARE(refusedField(s), std::string("groups"));
        s = specification("cospadi", "pairs");
        s.propagation = PropagationKind::Input;
        QCOMPARE(refusedField(s), std::string("groups"));
        s = runSpecificationFromJson(
            {{"method", "cospadi"}, {"groups", "pairs"}, {"side", "output"}});
        QCOMPARE(refusedField(s), std::string("side"));
        // A list that names what the model has not leaves no run behind.
        s = specification("cospadi", "blk.0.attn_q+blk.7.attn_q");
        const std::string message = messageOf([&] { executeRun(s, place("refused"), {}); });
        QVERIFY2(message.starts_with("groups: blk.7.attn_q is not one"), message.c_str());
        QVERIFY(!fs::exists(place("refused")));
    }

    // Basis Sharing's factor is the best of its rank for L̄ [W₀ W₁]: what is left is the norm of the
    // singular values that were cut off, up to bfloat16.
    void sharedBasisIsTheBestInTheMeanGram() {
        RunSpecification s = specification("svd-llm", "pairs");
        s.layers = "ffn_up";
        executeRun(s, place("basis"), {});
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        CalibrationOptions text;
        text.text = s.calibration.text;
        text.sequences = s.calibration.sequences;
        text.length = s.calibration.length;
        text.seed = s.calibration.seed;
        const auto grams = calibrate(model, pool, text);
        const Eigen::MatrixXd g0 = grams->gram("blk.0.ffn_gate");
        const Eigen::MatrixXd g1 = grams->gram("blk.1.ffn_gate");
        const Eigen::MatrixXd factor = reference::choleskyFactor((g0 + g1) / 2);
        const Eigen::MatrixXd w0 = model.weight("blk.0.ffn_up").cast<double>();
        const Eigen::MatrixXd w1 = model.weight("blk.1.ffn_up").cast<double>();
        Eigen::MatrixXd whole(w0.rows(), w0.cols() + w1.cols());
        whole << w0, w1;
        const StoredMatrix first =
            readMatrixFile(place("basis") / "matrices/blk.0.ffn_up.safetensors");
        const StoredMatrix second =
            readMatrixFile(place("basis") / "matrices/blk.1.ffn_up.safetensors");
        QCOMPARE(first.weight->product()->left, second.weight->product()->left);
        Eigen::MatrixXd stored(whole.rows(), whole.cols());
        stored << first.weight->recomposed().cast<double>(),
            second.weight->recomposed().cast<double>();
        const Eigen::VectorXd values = reference::svd(factor * whole).values;
        const std::int64_t rank = first.record.rank;
        // r = (1 − γ) m d1 d2 / (d1 + m d2)
        const auto d1 = static_cast<double>(whole.rows());
        const auto d2 = static_cast<double>(whole.cols());
        QCOMPARE(rank, static_cast<std::int64_t>(0.8 * d1 * d2 / (d1 + d2)));
        const double best = values.tail(values.size() - rank).norm();
        const double found = (factor * (whole - stored)).norm();
        QVERIFY(found >= best * (1 - 1e-6));
        QVERIFY2(found < best * 1.01, qPrintable(QString("%1 %2").arg(found).arg(best)));
        // Each layer is told in its own metric.
        const Eigen::MatrixXd own = reference::choleskyFactor(g1);
        const double error =
            (own * (w1 - second.weight->recomposed().cast<double>())).norm() / (own * w1).norm();
        QVERIFY(std::abs(second.record.relativeError / error - 1) < 1e-3);
    }

    // A run hands GeoPair each layer with its own metric: what it stores is what these give, and
    // not what the mean Gram does; each layer is told in its own.
    void pairsAreSolvedInTheirOwnMetrics() {
        RunSpecification s = specification("geopair", "pairs");
        s.layers = "ffn_up";
        s.iterations = 3;
        executeRun(s, place("pairs"), {});
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const auto grams = calibrate(model, pool, calibrationOptionsOf(s));
        std::vector<Whitening> metrics;
        Eigen::MatrixXf whole(model.weight("blk.0.ffn_up").rows(), 0);
        std::vector<UnitPart> parts;
        Eigen::MatrixXd sum;
        for (const char* block : {"blk.0", "blk.1"}) {
            const Eigen::MatrixXd gram = grams->gram(std::string(block) + ".ffn_gate");
            const Eigen::MatrixXf weight = model.weight(std::string(block) + ".ffn_up");
            sum = parts.empty() ? gram : Eigen::MatrixXd(sum + gram);
            metrics.emplace_back(gram, block);
            parts.push_back({weight.cols(), nullptr});
            Eigen::MatrixXf more(whole.rows(), whole.cols() + weight.cols());
            more << whole, weight;
            whole = more;
        }
        parts[0].whitening = &metrics[0];
        parts[1].whitening = &metrics[1];
        CpuBackend backend;
        const Whitening mean(sum / 2, "unit");
        const auto recomposedWith = [&](std::span<const UnitPart> own) {
            return compressMatrix(backend, whole, &mean, s, {}, {}, own).weight->recomposed();
        };
        Eigen::MatrixXf stored(whole.rows(), whole.cols());
        for (std::size_t i = 0; i < 2; ++i) {
            const StoredMatrix layer = readMatrixFile(place("pairs") / "matrices" /
                                                      fmt::format("blk.{}.ffn_up.safetensors", i));
            const Eigen::Index columns = parts[i].width;
            const auto offset = static_cast<Eigen::Index>(i) * columns;
            stored.middleCols(offset, columns) = layer.weight->recomposed();
            const Eigen::MatrixXd factor = reference::choleskyFactor(metrics[i].gram());
            const Eigen::MatrixXd w = whole.middleCols(offset, columns).cast<double>();
            const double error = (factor * (w - layer.weight->recomposed().cast<double>())).norm() /
                                 (factor * w).norm();
            QVERIFY(std::abs(layer.record.relativeError / error - 1) < 1e-3);
        }
        QVERIFY((stored - recomposedWith(parts)).norm() < 1e-3F * stored.norm());
        QVERIFY((stored - recomposedWith({})).norm() > 1e-2F * stored.norm());
        // Three that share are no pair.
        s = specification("geopair", "inputs");
        QCOMPARE(whereOf([&] { executeRun(s, place("three"), {}); }), std::string("groups"));
        QVERIFY(!fs::exists(place("three")));
    }

    void bytesOfWhatIsSharedAreToldOnce_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("accounting");
        for (const char* method : {"svd-llm", "cospadi", "compot"}) {
            for (const char* accounting : {"eq11", "packed8"}) {
                QTest::addRow("%s %s", method, accounting) << method << accounting;
            }
        }
    }

    void bytesOfWhatIsSharedAreToldOnce() {
        QFETCH(QString, method);
        QFETCH(QString, accounting);
        const fs::path directory = place(QTest::currentDataTag());
        RunSpecification s = specification(method.toUtf8().constData(), "inputs");
        s.accounting = accountingFromName(accounting.toStdString());
        s.layers = "attn_";
        RunExecution execution;
        execution.partialModel = true;
        executeRun(s, directory, execution);
        const nlohmann::json result = readRunJson(directory / "result.json", "");
        QCOMPARE(result.at("bytes").get<std::int64_t>(), bytesIn(directory / "matrices"));
        QCOMPARE(result.at("matrices").size(), std::size_t{8});
        QVERIFY(fs::exists(directory / "matrices/blk.1.attn_q+2.safetensors"));
        const nlohmann::json& query = result.at("matrices").at(0);
        QCOMPARE(query.at("unit").get<std::string>(), std::string("blk.0.attn_q+2"));
        QVERIFY(query.at("shared_bytes").get<std::int64_t>() > 0);
        QCOMPARE(readMatrixFile(directory / "matrices/blk.0.attn_q.safetensors").record.bytes,
                 query.at("bytes").get<std::int64_t>());
        // The folder is a model by itself.
        fs::rename(directory / "model", place("alone"));
        QCOMPARE(logitsOf(loadModelOrRun(place("alone").string())),
                 logitsOf(loadModelOrRun(directory.string())));
        fs::remove_all(place("alone"));
    }

    // A unit of which anything is missing or damaged is made again, to the same bits.
    void resumesByUnit_data() {
        QTest::addColumn<QString>("damaged");
        QTest::newRow("layer") << "blk.1.attn_k.safetensors";
        QTest::newRow("shared") << "blk.0.attn_k+1.safetensors";
    }

    void resumesByUnit() {
        QFETCH(QString, damaged);
        const fs::path directory = place("resumed");
        fs::remove_all(directory);
        RunSpecification s = specification("cospadi", "pairs");
        s.layers = "attn_[kv]";
        executeRun(s, directory, {});
        const auto whole = contents(directory / "matrices");
        QCOMPARE(whole.size(), std::size_t{4 + 2});
        QCOMPARE(solvedMatrices(directory), std::int64_t{4});
        const fs::path file = directory / "matrices" / damaged.toStdString();
        fs::resize_file(file, fs::file_size(file) / 2);
        QVERIFY_THROWS_EXCEPTION(Error, (void)loadModelOrRun(directory.string()));
        int made = 0;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            made += event.at("event") == "matrix_finished" ? 1 : 0;
        };
        executeRun(s, directory, execution);
        QCOMPARE(made, 2);
        QVERIFY(contents(directory / "matrices") == whole);
    }

    void nameOfTheSharedFileStaysInItsFolder() {
        MatrixRecord record;
        record.name = "layer";
        record.kind = "ffn_up";
        record.d1 = 2;
        record.d2 = 2;
        LowRankFactors factors;
        factors.left = Eigen::MatrixXf::Ones(2, 1);
        factors.right = Eigen::MatrixXf::Ones(1, 2);
        for (const char* unit : {"../other", "/etc/passwd", ".hidden", "a b"}) {
            record.unit = unit;
            const fs::path path = place("layer.safetensors");
            writeMatrixFile(path, *storedWeight(factors), record);
            try {
                static_cast<void>(readMatrixFile(path));
                QFAIL(unit);
            } catch (const Error& error) {
                QVERIFY2(QString(error.problem().c_str()).contains(unit), error.what());
            }
        }
    }
};

COSPADI_TEST(TestLayerGroups)

}  // namespace tst_layer_groups

#include "tst_layer_groups.moc"
