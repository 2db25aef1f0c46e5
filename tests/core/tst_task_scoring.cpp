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
        const auto scores = scorer.score(groups);
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
