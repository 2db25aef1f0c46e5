// Whole evaluations by the native tasks: results are recorded and not asked for twice, and what had
// ended before a cancellation counts.
#include <stop_token>

#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/task_samples.h"
#include "own_folder.h"
#include "served_model.h"
#include "small_task_data.h"
#include "tests/registered_test.h"

namespace tst_native_evaluation {

using namespace cospadi;
using small_task_data::kQuestions;
using small_task_data::writeLines;
namespace fs = std::filesystem;

class TestNativeEvaluation : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        qputenv("COSPADI_RUNS", QByteArray::fromStdString(place("runs").string()));
        fs::create_directories(place("data"));
        writeLines(place("data") / "piqa.jsonl", kQuestions);
    }

    void resultsAreRecordedAndNotAskedTwice() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const fs::path model = served::model(m_folder).sourcePath();
        NativeRequest request;
        request.model = model.string();
        request.tasks = {"piqa"};
        request.selection.data = place("data");
        int answered = 0;
        int remembered = 0;
        NativeHooks hooks;
        hooks.finished = [&](const TaskEvaluation&, bool wasThere) {
            (wasThere ? remembered : answered) += 1;
        };
        const auto first = evaluateTasks(request, hooks, {});
        QVERIFY(first);
        QVERIFY(first->run.filename().string().starts_with("dense-"));
        QCOMPARE(first->items, 3);
        const auto second = evaluateTasks(request, hooks, {});
        QVERIFY(second);
        QCOMPARE(second->items, 0);
        QCOMPARE(answered, 1);
        QCOMPARE(remembered, 1);
        QCOMPARE(second->evaluation.results.size(), first->evaluation.results.size());
        for (std::size_t i = 0; i < first->evaluation.results.size(); ++i) {
            QVERIFY(first->evaluation.results[i].measuresSameAs(second->evaluation.results[i]));
            QCOMPARE(first->evaluation.results[i].value, second->evaluation.results[i].value);
        }
        request.again = true;
        QCOMPARE(evaluateTasks(request, hooks, {})->items, 3);

        fs::path samples;
        for (const auto& entry : fs::directory_iterator(first->run / "evaluations")) {
            if (entry.path().extension() == ".json") {
                samples = samplesFileOf(first->run, entry.path().filename().string(), "piqa");
            }
        }
        const std::vector<TaskSample> items = readTaskSamples(samples);
        QCOMPARE(items.size(), std::size_t{3});
        QCOMPARE(QString::fromStdString(items[1].context), QString("Question: éf\nAnswer:"));
        QCOMPARE(items[1].continuations, (std::vector<std::string>{" mm mm", " n"}));
        QCOMPARE(items[0].answer, 0);
        QCOMPARE(items[2].chosen, 0);  // the first of equals
        QCOMPARE(items[2].acc, 0.0);
        QVERIFY(items[0].asksSameAs(items[0]) && !items[0].asksSameAs(items[1]));
    }

    void cancellingLeavesWhatHadEnded() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const fs::path data = place("two");
        fs::create_directories(data);
        writeLines(data / "piqa.jsonl", kQuestions);
        writeLines(data / "lambada_openai.jsonl", {{{"text", "a b c"}}});
        NativeRequest request;
        request.model = served::model(m_folder, "a_llama_gqa").sourcePath().string();
        request.tasks = {"lambada_openai", "piqa"};
        request.selection.data = data;
        request.again = true;
        std::stop_source stop;
        NativeHooks hooks;
        hooks.finished = [&](const TaskEvaluation&, bool) { stop.request_stop(); };
        QVERIFY(!evaluateTasks(request, hooks, stop.get_token()));
        request.again = false;
        std::vector<std::string> remembered;
        hooks.finished = [&](const TaskEvaluation& evaluation, bool wasThere) {
            if (wasThere) {
                remembered.push_back(evaluation.results.front().task);
            }
        };
        QVERIFY(evaluateTasks(request, hooks, {}));
        QVERIFY(!remembered.empty());
        QCOMPARE(QString::fromStdString(remembered.front()), QString("lambada_openai"));
    }
};

COSPADI_TEST(TestNativeEvaluation)

}  // namespace tst_native_evaluation

#include "tst_native_evaluation.moc"
