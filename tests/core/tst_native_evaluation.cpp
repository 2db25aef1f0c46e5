// Whole evaluations, by the native tasks and over texts: results are recorded and not asked for
// twice, and what had ended before a cancellation counts.
#include <fstream>
#include <optional>
#include <stop_token>

#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/task_samples.h"
#include "core/run/evaluate_run.h"
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
        request.model = (first->run / "").string();
        QCOMPARE(evaluateTasks(request, hooks, {})->evaluation.model,
                 first->run.filename().string());

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

    // Prompts of another length are another question, and both answers stay.
    void lengthsAreToldApart() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        NativeRequest request;
        request.model = served::model(m_folder).sourcePath().string();
        request.tasks = {"piqa"};
        request.selection.data = place("data");
        QVERIFY(evaluateTasks(request, {}, {}));
        request.maxLength = 20;
        const auto shorter = evaluateTasks(request, {}, {});
        QCOMPARE(shorter->items, 3);
        QCOMPARE(QString::fromStdString(shorter->evaluation.results.front().version),
                 QString("1.0 max_length 20"));
        request.keep = place("shorter");  // what is imported elsewhere says so, too
        QVERIFY(evaluateTasks(request, {}, {}));
        QCOMPARE(QString::fromStdString(readTaskEvaluation(request.keep).results.front().version),
                 QString("1.0 max_length 20"));
        request.keep.clear();
        const auto again = evaluateTasks(request, {}, {});
        QCOMPARE(again->items, 0);
        QVERIFY(
            again->evaluation.results.front().measuresSameAs(shorter->evaluation.results.front()));
        request.maxLength = 2048;
        QCOMPARE(evaluateTasks(request, {}, {})->items, 0);
        QVERIFY(isOfLength("1.0", 2048) && !isOfLength("1.0 max_length 20", 2048));
        QVERIFY(isOfLength("1.0 chat max_length 20", 20) && !isOfLength("1.0", 20));
        QVERIFY(lengthOf("1.0 chat max_length 20") == 20 && lengthOf("1.0 chat") == 2048);
        QVERIFY(lengthOf("1.0 max_length many") == 0);
    }

    // Of every task, however quickly they follow each other, and of what was recorded before.
    void keepsFilesOfAllTasks() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const fs::path data = place("both");
        fs::create_directories(data);
        const std::vector<std::string> tasks = {"piqa", "lambada_openai"};
        writeLines(data / "piqa.jsonl", kQuestions);
        writeLines(data / "lambada_openai.jsonl", {{{"text", "a b c"}}});
        NativeRequest request;
        request.model = served::model(m_folder).sourcePath().string();
        request.tasks = tasks;
        request.selection.data = data;
        for (const char* folder : {"kept", "kept again"}) {
            request.keep = place(folder);
            request.again = folder == std::string("kept");
            const auto outcome = evaluateTasks(request, {}, {});
            QCOMPARE(outcome->items, folder == std::string("kept") ? 4 : 0);
            std::vector<std::string> samples;
            std::size_t results = 0;
            for (const auto& entry : fs::directory_iterator(request.keep)) {
                const std::string name = entry.path().filename().string();
                results += name.starts_with("results_") ? 1 : 0;
                if (name.starts_with("samples_")) {
                    samples.push_back(name.substr(8, name.rfind('_') - 8));
                }
            }
            QCOMPARE(results, tasks.size());
            std::sort(samples.begin(), samples.end());
            QCOMPARE(samples, (std::vector<std::string>{"lambada_openai", "piqa"}));
        }
    }

    // Before the first item, not when all of them are answered.
    void foldersForFilesAreTriedFirst() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        writeLines(place("a file"), kQuestions);
        NativeRequest request;
        request.model = served::model(m_folder).sourcePath().string();
        request.tasks = {"piqa"};
        request.selection.data = place("data");
        request.keep = place("a file") / "kept";
        request.again = true;
        bool hasBegun = false;
        NativeHooks hooks;
        hooks.progress = [&](const Progress&) { hasBegun = true; };
        const QString error = oracle::errorOf([&] { evaluateTasks(request, hooks, {}); });
        QVERIFY2(error.contains("a file/kept") && error.contains("--out"), qPrintable(error));
        QVERIFY(!hasBegun);
    }

    // Recorded as of the text that was read, although another has taken its name meanwhile.
    void textsCountAsTheyWereRead() {
        SKIP_WITHOUT("arch/a_llama_gqa");
        const fs::path text = place("text.txt");
        const auto write = [&](const std::string& words) { std::ofstream(text) << words; };
        EvaluationRequest request;
        request.model = served::model(m_folder).sourcePath().string();
        request.text = text;
        request.options.context = 16;
        const std::string before = "the first text, of which all tokens are scored";
        const std::string after = "another text, written over the first before its end";
        write(before);
        const auto outcome = evaluateAndRecord(request, [&](const Progress&) { write(after); }, {});
        QVERIFY(outcome && outcome->unrecorded.empty());
        request.model = outcome->recordedAs.parent_path().parent_path().string();
        QVERIFY(!recordedPerplexity(request));
        write(before);
        const std::optional<double> known = recordedPerplexity(request);
        QVERIFY(known.has_value());
        QCOMPARE(*known, outcome->result.perplexity);
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
