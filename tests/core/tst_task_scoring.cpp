// How answers are scored: the scorer against a plain forward pass, and texts longer than the
// window.
#include "core/tasks/task_evaluator.h"
#include "following_tokens.h"
#include "served_model.h"
#include "tests/registered_test.h"

namespace tst_task_scoring {

using namespace cospadi;

class TestTaskScoring : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

  private slots:
    // Whatever is grouped, every likelihood is that of the sequence alone.
    void scorerAgreesWithAPlainForwardPass() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const Model model = served::model(m_folder);
        ThreadPool pool;
        const std::vector<ContinuationGroup> groups = {
            {{{5, 6, 7, 8, 9}, 3}, {{5, 6, 7, 10}, 3}, {{5, 6, 7, 8, 11, 12}, 3}},
            {{{1, 2}, 1}},
            {{{3, 4, 20}, 2}, {{3, 4, 21}, 2}},             // nothing but the common part
            {{{30, 31, 32}, 1}, {{40, 41, 42, 43}, 2}},     // nothing in common
            {{{50, 51, 52, 53}, 2}, {{50, 51, 52, 53}, 2}}  // the same twice
        };
        ContinuationScorer scorer(model, pool);
        const auto scores = *scorer.score(groups);
        // Common parts, then what is left of each: the last id is predicted and never read.
        QCOMPARE(scorer.computedTokens(), (3 + 1 + 0 + 2) + 1 + 2 + (2 + 3) + 3);
        ForwardPass pass(model, pool);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            for (std::size_t r = 0; r < groups[g].size(); ++r) {
                const ContinuationRequest& request = groups[g][r];
                const auto length = static_cast<std::int64_t>(request.ids.size());
                const Eigen::MatrixXf logits = pass.logits(pass.hiddenStates(request.ids, length));
                double sum = 0;
                bool isGreedy = true;
                for (std::int64_t t = request.context; t < length; ++t) {
                    const Eigen::VectorXd column = logits.col(t - 1).cast<double>();
                    const int target = request.ids[static_cast<std::size_t>(t)];
                    const double largest = column.maxCoeff();
                    sum +=
                        column[target] - largest - std::log((column.array() - largest).exp().sum());
                    isGreedy = isGreedy && column[target] == largest;
                }
                QVERIFY(std::abs(scores[g][r].logLikelihood - sum) < 1e-4);
                QCOMPARE(scores[g][r].isGreedy, isGreedy);
            }
        }
    }

    // Block by block, several batches at a time and all of them: the same scores.
    void aDeferredModelGivesTheSame() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const std::filesystem::path folder = COSPADI_TEST_DATA "/oracle/arch/a_llama_gqa";
        ThreadPool pool;
        const Model whole = Model::load(folder, {.pool = &pool});
        const Model deferred = Model::load(folder, {.pool = &pool, .deferredAbove = 0});
        const auto vocabulary = static_cast<std::int32_t>(whole.config().vocabularySize);
        std::vector<ContinuationGroup> groups;  // of 30 columns
        for (std::int32_t g = 0; g < 240; ++g) {
            std::vector<std::int32_t> context;
            for (std::int32_t i = 0; i < 18; ++i) {
                context.push_back((g * 31 + i * i) % vocabulary);
            }
            ContinuationGroup group;
            for (std::int32_t answer = 0; answer < 3; ++answer) {
                group.push_back({context, 18});
                for (std::int32_t i = 0; i < 5; ++i) {
                    group.back().ids.push_back((answer + 1 + i * g) % vocabulary);
                }
            }
            groups.push_back(group);
        }
        ContinuationScorer plain(whole, pool);
        std::vector<std::vector<ContinuationScore>> expected;
        for (std::span<const ContinuationGroup> rest(groups); !rest.empty();) {
            const std::size_t count = plain.batch(rest);
            QVERIFY(count < 100);
            std::ranges::move(*plain.score(rest.first(count)), std::back_inserter(expected));
            rest = rest.subspan(count);
        }
        const std::int64_t column = 4 * whole.config().hiddenSize;
        for (const std::int64_t columns : {1, 5000, 1000000}) {
            ContinuationScorer scorer(deferred, pool, nullptr, columns * column);
            std::vector<std::vector<ContinuationScore>> scores;
            for (std::span<const ContinuationGroup> rest(groups); !rest.empty();) {
                const std::size_t count = scorer.batch(rest);
                QVERIFY(columns < 1000000 || count == groups.size());
                std::vector<double> shares;
                std::ranges::move(*scorer.score(rest.first(count),
                                                [&](double share) { shares.push_back(share); }),
                                  std::back_inserter(scores));
                QVERIFY(std::is_sorted(shares.begin(), shares.end()));
                QCOMPARE(shares.back(), 1.0);
                rest = rest.subspan(count);
            }
            QCOMPARE(scorer.computedTokens(), plain.computedTokens());
            for (std::size_t g = 0; g < groups.size(); ++g) {
                for (std::size_t r = 0; r < groups[g].size(); ++r) {
                    QCOMPARE(scores[g][r].logLikelihood, expected[g][r].logLikelihood);
                    QCOMPARE(scores[g][r].isGreedy, expected[g][r].isGreedy);
                }
            }
        }
        std::stop_source stop;
        ContinuationScorer stopped(deferred, pool);
        int blocks = 0;
        QVERIFY(!stopped.score(
            groups, [&](double) { stop.request_stop(), ++blocks; }, stop.get_token()));
        QCOMPARE(blocks, 1);
    }

    // A text longer than the window: every token is predicted once, and a text that fits gives the
    // sum over all its tokens after the prefix.
    void rollingWindowsPredictEveryTokenOnce() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const Model model = served::model(m_folder);
        ThreadPool pool;
        Task task;
        task.name = "wikitext";
        task.form = TaskForm::Rolling;
        TaskItem item;
        item.continuations = {"abcdefghijklmnopqrstuvwxyz"};
        item.words = 1;
        item.bytes = 26;
        task.items = {item};
        const std::vector<std::int32_t> ids =
            model.tokenizer().encode("abcdefghijklmnopqrstuvwxyz");
        const auto length = static_cast<std::int64_t>(ids.size());
        for (const std::int64_t window : {std::int64_t{5}, std::int64_t{7}, length, 4 * length}) {
            TaskEvaluator evaluator(model, pool, {window + 2, 3});
            const auto outcome = evaluator.evaluate(task);
            QVERIFY(outcome);
            // lm-eval: windows of `window` predictions, each token after as many as fit before it.
            double expected = 0;
            ForwardPass pass(model, pool);
            for (std::int64_t begin = 0; begin < length; begin += window) {
                const std::int64_t end = std::min(length, begin + window);
                std::vector<std::int32_t> sequence = {3};
                sequence.insert(sequence.end(), ids.begin(), ids.end());
                const std::int64_t first = begin == 0 ? 0 : end - window;
                const std::vector<std::int32_t> input(sequence.begin() + first,
                                                      sequence.begin() + end);
                const Eigen::MatrixXf hidden =
                    pass.hiddenStates(input, static_cast<std::int64_t>(input.size()));
                const std::vector<std::int32_t> targets(ids.begin() + first, ids.begin() + end);
                const std::vector<double> all = oracle::logProbabilities(pass, hidden, targets);
                for (std::int64_t t = begin; t < end; ++t) {
                    expected += all[static_cast<std::size_t>(t - first)];
                }
            }
            QVERIFY(std::abs(outcome->items[0].scores[0].logLikelihood - expected) < 1e-3);
        }
    }
};

COSPADI_TEST(TestTaskScoring)

}  // namespace tst_task_scoring

#include "tst_task_scoring.moc"
