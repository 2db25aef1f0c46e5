// Whole runs of lm-eval, with a stand-in for Python that behaves well or badly, and with the real
// lm-eval where COSPADI_TEST_LM_EVAL_PYTHON names one.
#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lm_eval_under_test.h"
#include "tests/registered_test.h"

namespace tst_lm_eval {

using namespace cospadi;
using lm_eval::kData;
using lm_eval::kRecorded;
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
