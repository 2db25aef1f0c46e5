// Perplexity of the default model on GPL-3.txt against float64 NumPy and llama.cpp.
#include "core/evaluation/perplexity.h"
#include "core/model/forward.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_perplexity {

using namespace cospadi;

class TestPerplexity : public QObject {
    Q_OBJECT

    ThreadPool m_pool;
    std::optional<Model> m_model;

  private slots:
    void initTestCase() {
        if (const auto path = oracle::defaultModel()) {
            m_model = Model::load(*path, {&m_pool, {}});
        }
    }

    void bothConventions_data() {
        QTest::addColumn<bool>("secondHalf");
        QTest::addColumn<double>("expected");
        QTest::addColumn<qint64>("scored");
        QTest::newRow("A: second half") << true << 18.199418 << qint64{1020};
        QTest::newRow("B: all") << false << 23.736599 << qint64{2044};
    }

    void bothConventions() {
        SKIP_WITHOUT_MODEL();
        SKIP_WITHOUT("GPL-3.txt");
        QFETCH(const bool, secondHalf);
        QFETCH(const double, expected);
        QFETCH(const qint64, scored);
        PerplexityOptions options;
        options.maxTokens = 2048;
        options.score = secondHalf ? ScoredTokens::SecondHalf : ScoredTokens::All;
        const auto result =
            evaluatePerplexity(*m_model, m_pool, oracle::text(oracle::file("GPL-3.txt")), options);
        QVERIFY(result.has_value());
        const double deviation = std::abs(result->perplexity - expected) / expected;
        ForwardPass pass(*m_model, m_pool);
        const double operations = pass.floatingPointOperations(512, result->tokensScored / 4) * 4;
        qInfo("perplexity %.6f, relative deviation %.1e, %.0f tokens/s, %.0f GF/s",
              result->perplexity, deviation, result->tokensPerSecond,
              operations / result->seconds / 1e9);
        QVERIFY(deviation < 1e-5);
        QCOMPARE(result->tokensScored, scored);
        QCOMPARE(result->tokensRead, std::int64_t{2048});
    }

    // Block by block, three chunks of eight at a time, and in batches of two: the same sums.
    void aDeferredModelGivesTheSame() {
        const std::filesystem::path folder = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";
        const Model whole = Model::load(folder, {.pool = &m_pool});
        const Model deferred = Model::load(folder, {.pool = &m_pool, .deferredAbove = 0});
        const std::int64_t context = 200;
        const std::int64_t chunks = 8;
        const ModelConfig& config = whole.config();
        std::vector<std::int32_t> ids;
        for (std::int64_t i = 0; i < chunks * context + 7; ++i) {
            ids.push_back(static_cast<std::int32_t>(i * i % config.vocabularySize));
        }
        PerplexityOptions options;
        options.context = context;
        const auto expected = evaluatePerplexity(whole, m_pool, ids, options);
        for (const std::int64_t together : {1, 3, 4, 100}) {
            options.hiddenBytes = together * 4 * context * config.hiddenSize;
            std::vector<Progress> told;
            const auto result = evaluatePerplexity(deferred, m_pool, ids, options,
                                                   [&](const Progress& p) { told.push_back(p); });
            QCOMPARE(result->nllSum, expected->nllSum);
            QCOMPARE(result->tokensRead, chunks * context);
            QCOMPARE(result->tokensScored, chunks * (context - 1));
            QVERIFY(told.size() > 3);
            QVERIFY(std::is_sorted(
                told.begin(), told.end(),
                [](const Progress& a, const Progress& b) { return a.done <= b.done; }));
            QCOMPARE(told.back().done, chunks * context);
            QCOMPARE(told.back().total, chunks * context);
            QVERIFY(told.front().etaSeconds > 0);
        }
        std::stop_source stop;
        int calls = 0;
        QVERIFY(!evaluatePerplexity(
            deferred, m_pool, ids, options, [&](const Progress&) { stop.request_stop(), ++calls; },
            stop.get_token()));
        QCOMPARE(calls, 1);
    }

    void cancelsAndRefuses() {
        SKIP_WITHOUT_MODEL();
        std::stop_source stop;
        stop.request_stop();
        const std::string text(5000, 'a');
        QVERIFY(!evaluatePerplexity(*m_model, m_pool, text, {8, 64, ScoredTokens::All}, {},
                                    stop.get_token()));
        QVERIFY(oracle::errorOf([&] {
                    evaluatePerplexity(*m_model, m_pool, std::string("short"), {});
                }).contains("fewer than one chunk"));
        QVERIFY(oracle::errorOf([&] {
                    evaluatePerplexity(*m_model, m_pool, text, {1, 0, ScoredTokens::All});
                }).contains("--context"));
    }
};

COSPADI_TEST(TestPerplexity)

}  // namespace tst_perplexity

#include "tst_perplexity.moc"
