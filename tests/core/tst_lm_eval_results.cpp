// lm-eval's results as values, in runs, in the store and in reports.
#include <QtTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"
#include "core/tasks/mmlu_subjects.h"
#include "lm_eval_under_test.h"
#include "tests/registered_test.h"

namespace tst_lm_eval_results {

using namespace cospadi;
using lm_eval::kData;
using lm_eval::kRecorded;
using lm_eval::rowOf;
using lm_eval::writeText;
using nlohmann::json;
namespace fs = std::filesystem;

class TestLmEvalResults : public QObject, lm_eval::UnderTest {
    Q_OBJECT

    TaskEvaluation evaluationOf(const std::string& text) const {
        writeText(place("results.json"), text);
        return readTaskEvaluation(place("results.json"));
    }

  private slots:
    void initTestCase() { useOwnFolders(); }

    // The recorded run; the numbers stand in its file and in the independent float64 results.
    void recordedResults() {
        for (const fs::path& source : {kRecorded, kData}) {
            const TaskEvaluation evaluation = readTaskEvaluation(source);
            QCOMPARE(evaluation.results.size(), std::size_t{2});
            const json independent = json::parse(oracle::text(kData / "toy_mc_logliks_fp64.json"));
            QCOMPARE(rowOf(evaluation, "acc").value, independent.at("acc").get<double>());
            QCOMPARE(rowOf(evaluation, "acc_norm").value, independent.at("acc_norm").get<double>());
            QCOMPARE(rowOf(evaluation, "acc").standardError, 0.10942433098048308);
            QCOMPARE(rowOf(evaluation, "acc").samples, 20);
            QCOMPARE(rowOf(evaluation, "acc").shots, 0);
            QCOMPARE(rowOf(evaluation, "acc").version, std::string("1.0"));
            QCOMPARE(evaluation.model, std::string("smollm2"));
            QCOMPARE(evaluation.samples.size(), std::size_t{1});
            QCOMPARE(evaluation.seconds, 89.86918280200007);
        }
    }

    void oddNumbers() {
        const TaskEvaluation evaluation = readTaskEvaluation(kData / "odd_numbers.json");
        QCOMPARE(evaluation.results.size(), std::size_t{4});
        QVERIFY(std::isnan(rowOf(evaluation, "ppl").value));
        QVERIFY(std::isnan(rowOf(evaluation, "ppl").standardError));
        QVERIFY(std::isnan(rowOf(evaluation, "inf").value));
        const TaskResultRow& old = evaluation.results.front();  // tasks by name
        QCOMPARE(old.task, std::string("old"));
        QCOMPARE(old.value, 0.25);
        QCOMPARE(old.standardError, 0.1);
        QCOMPARE(old.shots, -1);
        QCOMPARE(old.version, std::string("0"));
        QVERIFY(old.higherIsBetter);
        QVERIFY(!evaluation.results[1].higherIsBetter);
        QCOMPARE(evaluation.limit, 40.0);
    }

    void unusableResults_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QFile file(QString::fromStdString(kRecorded.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray whole = file.readAll();
        QTest::newRow("empty") << QByteArray() << "JSON";
        QTest::newRow("cut off") << whole.left(whole.size() / 2) << "JSON";
        QTest::newRow("a list") << QByteArray("[1]") << "results";
        QTest::newRow("no results") << QByteArray("{}") << "results";
        QTest::newRow("empty results") << QByteArray(R"({"results": {}})") << "results";
        QTest::newRow("no numbers")
            << QByteArray(R"({"results": {"t": {"alias": "t"}}})") << "no number";
    }

    void unusableResults() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, says);
        const QString error = oracle::errorOf([&] { evaluationOf(text.toStdString()); });
        QVERIFY2(error.contains(says), qPrintable(error));
        QVERIFY(error.contains("results.json"));
    }

    void nothingWasWritten() {
        fs::create_directories(place("empty"));
        const QString error = oracle::errorOf([&] { readTaskEvaluation(place("empty")); });
        QVERIFY2(error.contains("no results"), qPrintable(error));
    }

    // Results of any lm-eval that put prompts through a chat template, as its files say it.
    void promptsOfAChat() {
        const nlohmann::json recorded = nlohmann::json::parse(oracle::text(kRecorded));
        const auto with = [&](const nlohmann::json& text, const std::string& model) {
            nlohmann::json results = recorded;
            results["chat_template"] = text;
            results["config"]["model"] = model;
            writeText(place("chat/results_1.json"), results.dump());
            return readTaskEvaluation(place("chat/results_1.json"));
        };
        for (const auto& [text, model, isChat] :
             {std::tuple(nlohmann::json("{{ messages }}"), "hf", true),
              {nlohmann::json(""), "local-chat-completions", true},
              {nlohmann::json(""), "local-completions", false},
              {nlohmann::json(), "hf", false}}) {
            const TaskEvaluation evaluation = with(text, model);
            QCOMPARE(evaluation.chatTemplate, std::string(isChat ? "unknown" : ""));
            QCOMPARE(lm_eval::rowOf(evaluation, "acc").version,
                     std::string(isChat ? "1.0 chat" : "1.0"));
        }
    }

    // Of another length prompts are another question, as the model's arguments tell it: as an
    // object, or as they were typed.
    void promptsOfAnotherLength() {
        json results = json::parse(oracle::text(kRecorded));
        const char* shorter = "1.0 max_length 512";
        for (const auto& [arguments, version] :
             {std::pair(json::object({{"max_length", 512}}), shorter),
              {json::object({{"max_length", "512"}}), shorter},
              {json("pretrained=m,max_length=512,dtype=auto"), shorter},
              {json("max_length=512"), shorter},
              {json("pretrained=m,max_length=2048"), "1.0"},
              {json("pretrained=m"), "1.0"},
              {json::object({{"max_length", nullptr}}), "1.0"}}) {
            results["config"]["model_args"] = arguments;
            const TaskEvaluation evaluation = evaluationOf(results.dump());
            QCOMPARE(rowOf(evaluation, "acc").version, std::string(version));
        }
        QCOMPARE(versionAtLength("1.0 chat max_length 512", 64),
                 std::string("1.0 chat max_length 64"));
        QCOMPARE(versionAtLength("1.0 max_length 512", 2048), std::string("1.0"));
    }

    // Into a run, out of its directory, through the store, and into a table.
    void resultsOfARun() {
        const fs::path runs = place("runs");
        const auto makeRun = [&](const std::string& id, double cr) {
            const json document{
                {"format", 1},
                {"id", id},
                {"created", "2026-01-01T00:00:00Z"},
                {"specification", {{"method", "svd"}, {"model", "m"}, {"cr", cr}, {"seed", 1}}}};
            writeText(runs / id / "run.json", document.dump());
            writeText(runs / id / "result.json", R"({"status": "finished"})");
        };
        TaskEvaluation evaluation = readTaskEvaluation(kRecorded);
        for (const auto& [id, cr, shots] :
             {std::tuple("a", 0.2, 0), {"b", 0.3, 0}, {"c", 0.4, 5}, {"d", 0.5, 0}}) {
            makeRun(id, cr);
            for (TaskResultRow& row : evaluation.results) {
                row.shots = shots;
            }
            if (std::string(id) != "d") {
                recordTaskEvaluation(runs / id, evaluation);
            }
        }
        recordTaskEvaluation(runs / "a", readTaskEvaluation(kRecorded));  // replaces, not adds
        RunStore store = RunStore::open(place("store.sqlite"));
        QCOMPARE(store.importTree(runs).imported, 4);
        const RunRow run = store.find("a");
        QCOMPARE(run.taskResults.size(), std::size_t{2});
        QCOMPARE(run.taskResults[0].metric, std::string("acc"));
        QCOMPARE(run.taskResults[0].value, 0.65);
        QCOMPARE(run.taskResults[0].samples, 20);
        QCOMPARE(run.taskResults[1].standardError, 0.10513149660756933);
        const fs::path folder =
            runs / "a" / "evaluations" / fs::path(run.taskResults[0].file).stem();
        QCOMPARE(oracle::text(folder / "results.json"), oracle::text(kRecorded));
        QVERIFY(fs::exists(folder / "samples_toy_mc.jsonl"));
        // Broken evaluations are named, not passed over.
        PivotOptions options;
        options.metric = "toy_mc/acc";
        const ReportTable table = pivot(store.list(), options);
        QCOMPARE(table.rows.size(), std::size_t{1});
        QCOMPARE(table.columns.size(), std::size_t{3});  // method, cr 0.2, cr 0.3: not the 5-shot
        QCOMPARE(numberIn(table.rows[0].cells[1]), 0.65);
        QString notes;
        for (const std::string& note : table.notes) {
            notes += QString::fromStdString(note) + "\n";
        }
        QVERIFY2(notes.contains("0 shots") && notes.contains("1 runs are left out"),
                 qPrintable(notes));
        options.metric = "piqa/acc";
        QVERIFY(oracle::errorOf([&] { pivot(store.list(), options); }).contains("piqa/acc"));
        QVERIFY(store.find("d").taskResults.empty());
    }

    // Of all its subjects a stored run has mmlu, by items, with what lm-eval's own line lacks.
    void subjectsMakeAGroup() {
        json file{{"lm_eval_version", "0.4.13"}, {"date", 1.7e9}, {"model_name", "m"}};
        double right = 0;
        int items = 0;
        std::vector<std::pair<double, double>> counts;  // items and right answers of each
        for (std::size_t i = 0; i < kMmluSubjects.size(); ++i) {
            const std::string task = std::string("mmlu_") + kMmluSubjects[i];
            const int count = 100 + 3 * static_cast<int>(i);
            const int correct = 20 + static_cast<int>(i);
            right += correct;
            items += count;
            counts.emplace_back(count, correct);
            const double acc = 1.0 * correct / count;
            file["results"][task] = {{"acc,none", acc},
                                     {"acc_stderr,none", std::sqrt(acc * (1 - acc) / (count - 1))}};
            file["n-samples"][task] = {{"effective", count}};
            file["n-shot"][task] = 0;
        }
        file["results"]["mmlu"] = {{"acc,none", right / items}, {"acc_stderr,none", 0.004}};
        const fs::path runs = place("subjects");
        writeExternalRun(runs, evaluationOf(file.dump()));
        RunStore store = RunStore::open(place("subjects.sqlite"));
        QCOMPARE(store.importTree(runs).imported, 1);
        const std::vector<RunRow> stored = store.list();
        std::vector<TaskResultRow> groups;
        for (const TaskResultRow& row : stored.front().taskResults) {
            if (row.task == "mmlu") {
                groups.push_back(row);
            }
        }
        QCOMPARE(groups.size(), std::size_t{1});
        QVERIFY(std::abs(groups[0].value - right / items) < 1e-14);
        QCOMPARE(groups[0].samples, std::int64_t{items});
        QCOMPARE(groups[0].shots, std::int64_t{0});
        // The variance of all items is that within subjects, which the error is of, and that
        // between.
        const double p = right / items;
        double within = items * p * (1 - p);
        for (const auto& [count, correct] : counts) {
            within -= count * std::pow(correct / count - p, 2);
        }
        const double degrees = items - static_cast<double>(counts.size());
        const double error = std::sqrt(within / degrees / items);
        QVERIFY(std::abs(groups[0].standardError - error) < 1e-12);
    }

    void resultsOfOthers() {
        const fs::path runs = place("external");
        const fs::path run = writeExternalRun(runs, readTaskEvaluation(kRecorded));
        QCOMPARE(writeExternalRun(runs, readTaskEvaluation(kRecorded)), run);
        const RunRecord record = readRunDirectory(run);
        QCOMPARE(record.run.method, std::string("external"));
        QCOMPARE(record.run.model, std::string("smollm2"));
        QCOMPARE(record.run.taskResults.size(), std::size_t{2});
        QVERIFY(!statedCompressionOf(record.run));
        QCOMPARE(methodLabel(record.run), std::string("external"));
    }

    // What is said of another program's model is kept, and is no measure of its bytes.
    void statedOfOthers() {
        const TaskEvaluation evaluation = readTaskEvaluation(kRecorded);
        const fs::path runs = place("stated");
        ExternalModel external{"/m/base.gguf", "ab", StatedCompression()};
        StatedCompression& stated = external.stated.emplace();
        stated.method = "LLM-Pruner";
        stated.label = "taylor";
        stated.source = "its page, table 2";
        stated.cr = 0.25;
        stated.bytes = 750;
        stated.denseBytes = 1200;
        const fs::path run = writeExternalRun(runs, evaluation, external);
        QCOMPARE(writeExternalRun(runs, evaluation, external), run);
        QVERIFY(run != writeExternalRun(runs, evaluation));
        RunStore store = RunStore::open(place("stated.sqlite"));
        const RunRow row = store.find(store.importRun(run));
        QCOMPARE(row.method, std::string("external"));
        QCOMPARE(row.model, std::string("/m/base.gguf"));
        QCOMPARE(row.modelSha256, std::string("ab"));
        QCOMPARE(row.cr, 0.25);
        QCOMPARE(row.layerBytes, 0);
        QCOMPARE(row.denseBytes, 0);
        QVERIFY(std::isnan(row.measuredRatio()));
        const auto read = statedCompressionOf(row);
        QVERIFY(read.has_value());
        QCOMPARE(read->method, stated.method);
        QCOMPARE(read->label, stated.label);
        QCOMPARE(read->source, stated.source);
        QCOMPARE(*read->cr, 0.25);
        QCOMPARE(*read->bytes, 750);
        QCOMPARE(read->denseBytes, 1200);
        QCOMPARE(methodLabel(row), std::string("LLM-Pruner (taylor, imported)"));
        // Another statement on the same results is another run.
        stated.cr.reset();
        const fs::path other = writeExternalRun(runs, evaluation, external);
        QVERIFY(other != run);
        QCOMPARE(readRunDirectory(other).run.cr, 0.375);  // 1 − 750/1200
        stated.denseBytes = 0;
        QVERIFY(std::isnan(readRunDirectory(writeExternalRun(runs, evaluation, external)).run.cr));
    }

    void badStatements_data() {
        QTest::addColumn<QString>("field");  // empty: only a damaged file can hold it
        QTest::addColumn<QString>("statement");
        const auto refused = [](const char* name, const char* field, const json& statement) {
            QTest::newRow(name) << field << QString::fromStdString(statement.dump());
        };
        const auto withMethod = [](json fields) {
            fields["method"] = "m";
            return fields;
        };
        refused("no method", "method", {{"method", ""}});
        refused("blanks", "method", {{"method", "  "}});
        refused("unnamed", "method", json::object());
        refused("long", "method", {{"method", std::string(61, 'x')}});
        refused("two lines", "method", {{"method", "a\nb"}});
        refused("escape", "label", withMethod({{"label", "\x1b[31m"}}));
        refused("long source", "source", withMethod({{"source", std::string(301, 'x')}}));
        refused("all of it", "cr", withMethod({{"cr", 1.0}}));
        refused("per cent", "cr", withMethod({{"cr", 20}}));
        refused("grown", "cr", withMethod({{"cr", -0.1}}));
        refused("no bytes", "bytes", withMethod({{"bytes", 0}}));
        refused("negative", "bytes", withMethod({{"bytes", -5}}));
        refused("no disk", "bytes", withMethod({{"bytes", 9007199254740993}}));
        refused("fraction", "", withMethod({{"bytes", 1.5}}));
        refused("text", "", withMethod({{"cr", "0.2"}}));
        refused("another field", "", withMethod({{"ratio", 0.2}}));
        refused("list", "", json::array({1}));
    }

    void badStatements() {
        QFETCH(const QString, field);
        QFETCH(const QString, statement);
        const json object = json::parse(statement.toStdString());
        RunRow row;
        row.method = "external";
        row.specification = json{{"stated", object}}.dump();
        QVERIFY(!statedCompressionOf(row));
        QCOMPARE(methodLabel(row), std::string("external"));
        if (field.isEmpty()) {
            return;
        }
        StatedCompression stated;
        stated.method = object.value("method", "");
        stated.label = object.value("label", "");
        stated.source = object.value("source", "");
        if (object.contains("cr")) {
            stated.cr = object["cr"].get<double>();
        }
        if (object.contains("bytes")) {
            stated.bytes = object["bytes"].get<std::int64_t>();
        }
        const QString error = oracle::errorOf([&] { validate(stated); });
        QVERIFY2(error.startsWith(field + ": "), qPrintable(error));
        stated = {};
        stated.method = "m";
        stated.cr = std::nan("");
        QVERIFY(oracle::errorOf([&] { validate(stated); }).startsWith("cr: "));
    }
};

COSPADI_TEST(TestLmEvalResults)

}  // namespace tst_lm_eval_results

#include "tst_lm_eval_results.moc"
