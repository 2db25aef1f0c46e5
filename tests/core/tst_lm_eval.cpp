// Whole runs of lm-eval, with a stand-in for Python that behaves well or badly, and with the real
// lm-eval where COSPADI_TEST_LM_EVAL_PYTHON names one.
#include <QtTest>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lm_eval_under_test.h"
#include "tests/registered_test.h"

namespace tst_lm_eval {

using namespace cospadi;
using lm_eval::kData;
using lm_eval::kRecorded;
using lm_eval::kSets;
using lm_eval::rowOf;
using lm_eval::writeText;
using nlohmann::json;
namespace fs = std::filesystem;

class TestLmEval : public QObject, lm_eval::UnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() { useOwnFolders(); }
    void cleanup() { qunsetenv("COSPADI_LM_EVAL_PYTHON"); }

    void wellBehaved() {
        standIn(
            "printf 'Requesting API:  50%%|#####     | 10/20 [00:02<00:02, 5it/s]\\r'\n"
            "mkdir -p $out/m; cp '" +
            kRecorded.string() + "' $out/m/\n");
        std::vector<Progress> progress;
        LmEvalHooks hooks;
        hooks.progress = [&](const Progress& p) { progress.push_back(p); };
        const auto outcome = runLmEval(request(), hooks, {}, place("kept"));
        QVERIFY(outcome.has_value());
        QCOMPARE(rowOf(outcome->evaluation, "acc").value, 0.65);
        QCOMPARE(progress.size(), std::size_t{1});
        QCOMPARE(progress[0].done, 10);
        QCOMPARE(progress[0].total, 20);
        QVERIFY(fs::exists(place("kept") / kRecorded.filename()));
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }

    void badlyBehaved_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("says");
        QTest::newRow("fails") << QByteArray("echo no such task >&2; exit 1") << "no such task";
        QTest::newRow("writes nothing") << QByteArray("echo all done; exit 0") << "no results";
        QTest::newRow("half a file")
            << QByteArray("mkdir -p $out/m; echo '{\"results\": {' > $out/m/results_1.json")
            << "JSON";
    }

    void badlyBehaved() {
        QFETCH(const QByteArray, script);
        QFETCH(const QString, says);
        standIn(script.toStdString() + "\n");
        const QString error = oracle::errorOf([&] { runLmEval(request(), {}, {}); });
        QVERIFY2(error.contains(says), qPrintable(error));
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }

    void foldersForFilesAreTriedFirst() {
        standIn("mkdir -p $out/m; cp '" + kRecorded.string() + "' $out/m/\n");
        writeText(place("a file"), "");
        fs::remove(place("arguments"));
        const QString error =
            oracle::errorOf([&] { runLmEval(request(), {}, {}, place("a file/kept")); });
        QVERIFY2(error.contains("a file/kept") && error.contains("--out"), qPrintable(error));
        QVERIFY(!fs::exists(place("arguments")));
    }

    // A model is asked although no run can be made to record it with.
    void resultsThatCannotBeRecordedAreTold() {
        standIn("mkdir -p $out/m; cp '" + kRecorded.string() + "' $out/m/\n");
        writeText(place("a file"), "");
        qputenv("COSPADI_RUNS", place("a file/runs").c_str());
        std::optional<LmEvalOutcome> outcome;
        const QString error = oracle::errorOf([&] { outcome = runLmEval(request(), {}, {}); });
        useOwnFolders();
        QVERIFY2(outcome.has_value(), qPrintable(error));
        QCOMPARE(rowOf(outcome->evaluation, "acc").value, 0.65);
        QVERIFY(outcome->recordedAs.empty());
        QVERIFY(!outcome->unrecorded.empty());
    }

    void cancelled() {
        standIn("echo started; sleep 1000\n");
        std::stop_source source;
        LmEvalHooks hooks;
        hooks.step = [&](const std::string& step) {
            if (step == "lm-eval is starting") {
                source.request_stop();
            }
        };
        QVERIFY(!runLmEval(request(), hooks, source.get_token()).has_value());
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }

    // The real lm-eval asks the real server about the default model: every choice's log likelihood
    // against the independent float64 pass, the accuracies against the recorded run.
    void realLmEval() {
        SKIP_WITHOUT_MODEL();
        const QByteArray python = qgetenv("COSPADI_TEST_LM_EVAL_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_LM_EVAL_PYTHON names no Python with lm-eval 0.4.13");
        }
        qputenv("COSPADI_LM_EVAL_PYTHON", python);
        const json task{
            {"include", (kData / "toy_mc.yaml").string()},
            {"task", "toy_mc"},
            {"dataset_kwargs", {{"data_files", {{"test", (kData / "toy_mc.jsonl").string()}}}}}};
        writeText(place("include/toy_mc.yaml"), task.dump());
        LmEvalRequest real;
        real.model = oracle::defaultModel()->string();
        real.tasks = {"toy_mc"};
        real.include = place("include");
        const auto outcome = runLmEval(real, {}, {}, place("real"));
        QVERIFY(outcome.has_value());
        const TaskEvaluation recorded = readTaskEvaluation(kRecorded);
        for (const char* metric : {"acc", "acc_norm"}) {
            QCOMPARE(rowOf(outcome->evaluation, metric).value, rowOf(recorded, metric).value);
            QCOMPARE(rowOf(outcome->evaluation, metric).version, rowOf(recorded, metric).version);
        }
        QCOMPARE(outcome->evaluation.samples.size(), std::size_t{1});
        const TaskEvaluation kept = readTaskEvaluation(place("real"));
        std::map<std::pair<int, int>, std::pair<double, bool>> found;
        std::istringstream lines(oracle::text(kept.samples.at(0)));
        for (std::string line; std::getline(lines, line);) {
            const json sample = json::parse(line);
            int choice = 0;
            for (const json& response : sample.at("filtered_resps")) {
                found[{sample.at("doc_id").get<int>(), choice++}] = {
                    std::stod(response.at(0).get<std::string>()), response.at(1) == "True"};
            }
        }
        double worst = 0;
        const json truth = json::parse(oracle::text(kData / "toy_mc_logliks_fp64.json"));
        for (const json& item : truth.at("items")) {
            const auto& [value, greedy] = found.at({item.at("doc"), item.at("choice")});
            worst = std::max(worst, std::abs(value - item.at("loglik").get<double>()));
            QCOMPARE(greedy, item.at("is_greedy").get<bool>());
        }
        QCOMPARE(truth.at("items").size(), found.size());
        qInfo("%d choices, largest deviation of a log likelihood: %.2e",
              static_cast<int>(found.size()), worst);
        QVERIFY(worst < 1e-3);
    }

    // Asked as a chat: lm-eval is told so, and what it writes is another question than the same
    // task of plain text, under the name of the template.
    void chat() {
        json results = json::parse(oracle::text(kRecorded));
        results["config"]["model"] = "local-chat-completions";
        results["chat_template"] = "";
        writeText(place("chat/results_2026-11-21T02-03-31.333142.json"), results.dump());
        standIn("mkdir -p $out/m; cp '" + place("chat").string() + "'/* $out/m/\n");
        LmEvalRequest asked = request();
        asked.chat = true;
        fs::remove(place("arguments"));
        QString error = oracle::errorOf([&] { runLmEval(asked, {}, {}); });
        QVERIFY2(error.contains("has no chat template"), qPrintable(error));
        QVERIFY(!fs::exists(place("arguments")));
        asked.chatTemplate = "alpaca";
        QVERIFY(oracle::errorOf([&] { runLmEval(asked, {}, {}); }).contains("llama-3"));
        asked.chatTemplate = "zephyr";
        asked.tasks = {"piqa"};
        error = oracle::errorOf([&] { runLmEval(asked, {}, {}); });
        QVERIFY2(error.contains("piqa") && error.contains("likelihoods"), qPrintable(error));
        for (const char* task :
             {"leaderboard_bbh_snarks", "leaderboard_mmlu_pro", "mmlu_virology"}) {
            asked.tasks = {task};
            QVERIFY(oracle::errorOf([&] { asked.validate(); }).contains("likelihoods"));
        }
        for (const char* task : {"ifeval", "mmlu_pro_math", "bbh_cot_fewshot", "toy_mc"}) {
            asked.tasks = {task};
            asked.validate();
        }
        asked.chat = false;
        QVERIFY(oracle::errorOf([&] { asked.validate(); }).contains("--chat"));
        asked.chat = true;
        const auto outcome = runLmEval(asked, {}, {});
        QVERIFY(outcome.has_value());
        const std::string arguments = oracle::text(place("arguments"));
        for (const char* part : {"--model local-chat-completions ", "/v1/chat/completions,",
                                 "--apply_chat_template"}) {
            QVERIFY2(arguments.find(part) != std::string::npos, arguments.c_str());
        }
        QCOMPARE(rowOf(outcome->evaluation, "acc").version, std::string("1.0 chat"));
        QCOMPARE(outcome->evaluation.chatTemplate, std::string("zephyr"));
        const json recorded = json::parse(oracle::text(outcome->recordedAs));
        QCOMPARE(recorded.at("chat_template"), json("zephyr"));
        QCOMPARE(recorded.at("tasks")[0].at("version"), json("1.0 chat"));
        // Plain text after it: recorded beside, not instead.
        standIn("mkdir -p $out/m; cp '" + kRecorded.string() + "' $out/m/\n");
        asked.chat = false;
        asked.chatTemplate.clear();
        const auto plain = runLmEval(asked, {}, {});
        QVERIFY(plain->recordedAs != outcome->recordedAs && fs::exists(outcome->recordedAs));
        QVERIFY(json::parse(oracle::text(plain->recordedAs)).at("chat_template").is_null());
        QCOMPARE(rowOf(plain->evaluation, "acc").version, std::string("1.0"));
        QVERIFY(oracle::text(place("arguments")).find("chat") == std::string::npos);
    }

    // What lm-eval says about what it lacks, in words that help.
    void whatIsMissing_data() {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<bool>("withData");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("package") << QByteArray("ModuleNotFoundError: No module named 'langdetect'")
                                 << false
                                 << QStringList{"lacks the package langdetect", "ifeval,math"};
        QTest::newRow("something else")
            << QByteArray("ConnectionError: Couldnt reach") << true << QStringList{"ended with 1"};
        QTest::newRow("another set than the folder's")
            << QByteArray(
                   "ConnectionError: Couldn\\047t reach \\047SaylorTwift/bbh\\047 on the Hub")
            << true << QStringList{"SaylorTwift/bbh is not in this folder", "formats.md"};
        QTest::newRow("likelihoods of a task of no known name")
            << QByteArray(
                   "NotImplementedError: Loglikelihood is not supported for chat completions.")
            << false << QStringList{"likelihoods", "without --chat"};
    }

    void whatIsMissing() {
        QFETCH(const QByteArray, said);
        QFETCH(const bool, withData);
        QFETCH(const QStringList, says);
        standIn("printf \"" + said.toStdString() + "\\n\" >&2; exit 1\n");
        LmEvalRequest asked = request();
        if (withData) {
            fs::create_directories(place("tasks/wikitext"));
            writeText(place("tasks/wikitext/wikitext.yaml"), "task: wikitext\n");
            writeText(place("data/wikitext2_test.jsonl"), R"({"page": "x"})");
            asked.data = place("data");
        }
        const QString error = oracle::errorOf([&] { runLmEval(asked, {}, {}); });
        for (const QString& part : says) {
            QVERIFY2(error.contains(part), qPrintable(error));
        }
    }

    // IFEval counts sentences with data of nltk's that it loads from the network. Without them it
    // would end when every answer is there: it is not begun.
    void sentencesOffline() {
        standIn("exit 9\n");
        writeText(place("python"),
                  "#!/bin/sh\n"
                  "if [ \"$1\" = -c ] && [ $# = 2 ]; then echo 0.4.13; echo /; "
                  "exit 0; fi\n"
                  "echo loads; echo \"$NLTK_DATA\" >'" +
                      place("nltk").string() + "'; exit 1\n");
        LmEvalRequest asked = request();
        asked.tasks = {"ifeval"};
        std::vector<std::string> steps;
        LmEvalHooks hooks;
        hooks.step = [&](const std::string& step) { steps.push_back(step); };
        const QString error = oracle::errorOf([&] { runLmEval(asked, hooks, {}); });
        QVERIFY2(error.contains("punkt_tab") && error.contains("nltk-data/tokenizers") &&
                     error.contains("NLTK_DATA"),
                 qPrintable(error));
        QVERIFY(std::find(steps.begin(), steps.end(), "lm-eval is starting") == steps.end());
        QCOMPARE(oracle::text(place("nltk")), place("home/cospadi/nltk-data").string() + "\n");
    }

    // The six sets of the extended tasks by the real lm-eval, with the items that stand beside the
    // tests: every metric is there, within its range and with its error where lm-eval has one.
    void realExtendedTasks_data() {
        using Metrics = std::map<std::string, QStringList>;
        QTest::addColumn<bool>("chat");
        QTest::addColumn<Metrics>("metrics");
        const QStringList ifeval{"prompt_level_strict_acc", "inst_level_strict_acc",
                                 "prompt_level_loose_acc", "inst_level_loose_acc"};
        QTest::newRow("plain prompts")
            << false
            << Metrics{{"leaderboard_ifeval", ifeval},
                       {"bbh_cot_fewshot_boolean_expressions", {"exact_match"}},
                       {"leaderboard_bbh_boolean_expressions", {"acc_norm"}},
                       {"minerva_math_algebra", {"exact_match", "math_verify"}},
                       {"gpqa_main_zeroshot", {"acc", "acc_norm"}},
                       {"leaderboard_musr_murder_mysteries", {"acc_norm"}},
                       {"leaderboard_mmlu_pro", {"acc"}}};
        QTest::newRow("chats") << true
                               << Metrics{{"ifeval", ifeval},
                                          {"bbh_zeroshot_boolean_expressions", {"exact_match"}},
                                          {"leaderboard_math_algebra_hard", {"exact_match"}},
                                          {"gpqa_main_generative_n_shot", {"exact_match"}},
                                          {"mmlu_pro_math", {"exact_match"}}};
    }

    void realExtendedTasks() {
        SKIP_WITHOUT_MODEL();
        const QByteArray python = qgetenv("COSPADI_TEST_LM_EVAL_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_LM_EVAL_PYTHON names no Python with lm-eval 0.4.13");
        }
        qputenv("COSPADI_LM_EVAL_PYTHON", python);
        QFETCH(const bool, chat);
        using Metrics = std::map<std::string, QStringList>;
        QFETCH(const Metrics, metrics);
        LmEvalRequest real;
        real.model = oracle::defaultModel()->string();
        for (const auto& [task, names] : metrics) {
            real.tasks.push_back(task);
        }
        real.data = kSets;
        real.limit = 2;
        real.chat = chat;
        real.maxLength = 8192;
        std::optional<LmEvalOutcome> outcome;
        try {
            outcome = runLmEval(real, {}, {});
        } catch (const Error& error) {
            if (error.problem().find("punkt_tab") != std::string::npos) {
                QSKIP("nltk's punkt_tab is not on this machine");
            }
            throw;
        }
        QVERIFY(outcome.has_value());
        QCOMPARE(outcome->evaluation.samples.size(), metrics.size());
        for (const auto& [task, names] : metrics) {
            QStringList found;
            for (const TaskResultRow& row : outcome->evaluation.results) {
                if (row.task != task) {
                    continue;
                }
                found << QString::fromStdString(row.metric);
                QCOMPARE(row.samples, 2);
                QVERIFY(row.value >= 0 && row.value <= 1);
                QCOMPARE(row.version.ends_with(" chat"), chat);
                QVERIFY(!row.dataSha256.empty());
                // The mean over instructions has none in lm-eval.
                QVERIFY(std::isfinite(row.standardError) || found.last().startsWith("inst_level"));
            }
            for (const QString& metric : names) {
                QVERIFY2(found.contains(metric), (task + " " + metric.toStdString()).c_str());
            }
        }
    }

    // Generation with stop words through lm-eval: what the model's greedy text is before the first.
    void realGenerationEndsBeforeItsStopWords() {
        SKIP_WITHOUT_MODEL();
        const QByteArray python = qgetenv("COSPADI_TEST_LM_EVAL_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_LM_EVAL_PYTHON names no Python with lm-eval 0.4.13");
        }
        qputenv("COSPADI_LM_EVAL_PYTHON", python);
        // All of one length: which of them is complete first is which begins first.
        const json words = {" a", "ed", "th"};
        const auto answers = [&](const char* name, const json& until) {
            const json task{
                {"task", name},
                {"dataset_path", "json"},
                {"dataset_kwargs", {{"data_files", {{"test", (kData / "toy_mc.jsonl").string()}}}}},
                {"test_split", "test"},
                {"output_type", "generate_until"},
                {"doc_to_text", "{{question}} Once upon a time"},
                {"doc_to_target", "{{choices[answer]}}"},
                {"generation_kwargs", {{"until", until}, {"max_gen_toks", 24}, {"temperature", 0}}},
                {"metric_list", {{{"metric", "exact_match"}}}}};
            writeText(place(std::string("include_") + name) / (std::string(name) + ".yaml"),
                      task.dump());
            LmEvalRequest real;
            real.model = oracle::defaultModel()->string();
            real.tasks = {name};
            real.include = place(std::string("include_") + name);
            const auto outcome = runLmEval(real, {}, {}, place(name));
            std::map<int, std::string> texts;
            const TaskEvaluation kept = readTaskEvaluation(place(name));
            std::istringstream lines(oracle::text(kept.samples.at(0)));
            for (std::string line; std::getline(lines, line);) {
                const json sample = json::parse(line);
                texts[sample.at("doc_id").get<int>()] = sample.at("resps")[0][0];
            }
            return texts;
        };
        const auto plain = answers("toy_plain", json::array());
        const auto stopped = answers("toy_stopped", words);
        QCOMPARE(plain.size(), std::size_t{20});
        QCOMPARE(stopped.size(), plain.size());
        int cut = 0;
        for (const auto& [item, text] : plain) {
            std::string expected = text;
            for (const json& word : words) {
                expected = expected.substr(0, expected.find(word.get<std::string>()));
            }
            QCOMPARE(stopped.at(item), expected);
            cut += expected.size() < text.size() ? 1 : 0;
        }
        QVERIFY2(cut >= 5, qPrintable(QString::number(cut)));
    }

    // What a killed predecessor left is swept up; what a living one holds is not.
    void leftovers() {
        writeText(place("home/cospadi/lm-eval-work/1/lock"), "");
        standIn("exit 1\n");
        QVERIFY(!oracle::errorOf([&] { runLmEval(request(), {}, {}); }).isEmpty());
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }
};

COSPADI_TEST(TestLmEval)

}  // namespace tst_lm_eval

#include "tst_lm_eval.moc"
