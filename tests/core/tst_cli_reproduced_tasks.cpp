// `cospadi reproduce` of a label whose tasks lm-eval asks, here one that answers as it is told and
// writes down what it was asked.
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_reproduced_tasks {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

QList<QByteArray> linesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split('\n')
                                          : QList<QByteArray>();
}

json rowOf(const json& table, const std::string& model, const std::string& method, double cr) {
    for (const json& row : table.at("rows")) {
        if (row.at("model") == model && row.at("method") == method && row.at("cr") == json(cr)) {
            return row;
        }
    }
    return nullptr;
}

}  // namespace

class TestCliReproducedTasks : public QObject, CliUnderTest {
    Q_OBJECT

    // An entry in the place of those that ship; another layer for each, so that no runs are shared.
    void writeEntry(const QString& name, const char* more, const char* values) {
        QDir().mkpath(place("resources/reproduce"));
        QFile file(place("resources/reproduce/" + name + ".yaml"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QString("label: tab:more_bench\nnumber: Table 13\nshows: reasoning\n"
                           "published: [more-bench]\n"
                           "protocol:\n  grid: {method: svd, layers: %1, cr: [0.2, 0.4]}\n%2"
                           "outputs:\n  - rows: [method, cr]\n    values: %3\n")
                       .arg(name == "plain" ? "attn_k" : "attn_q", more, values)
                       .toUtf8());
    }

    // It loads tasks where the file is-reachable is.
    void writeStandIn() {
        QFile python(place("python"));
        QVERIFY(python.open(QIODevice::WriteOnly));
        python.write(
            "#!/bin/sh\n"
            "if [ \"$1\" = -c ]; then\n"
            "case $2 in *TaskManager*) [ -e '" +
            place("is-reachable").toUtf8() +
            "' ] || { echo \"ConnectionError: Couldn't reach 'SaylorTwift/bbh' on the Hub\"; "
            "exit 1; } ;; esac\n"
            "echo 0.4.13; echo /nowhere; exit 0; fi\n"
            "echo \"$@\" >> '" +
            place("asked-of-lm-eval").toUtf8() +
            "'\nwhile [ $# -gt 0 ]; do case $1 in --output_path) out=$2 ;; --tasks) tasks=$2 ;; "
            "--limit) limit=$2 ;; esac; shift; done\n"
            "mkdir -p $out/m\nresults=; counts=\n"
            "for task in $(echo $tasks | tr , ' '); do\n"
            "results=\"$results,\\\"$task\\\":{\\\"acc_norm,none\\\":0.375,"
            "\\\"acc_norm_stderr,none\\\":0.0625,\\\"sample_len\\\":$limit}\"\n"
            "counts=\"$counts,\\\"$task\\\":0\"\ndone\n"
            "echo \"{\\\"results\\\":{${results#,}},\\\"n-shot\\\":{${counts#,}},"
            "\\\"lm_eval_version\\\":\\\"0.4.13\\\",\\\"config\\\":{\\\"limit\\\":$limit},"
            "\\\"date\\\":1700000000}\" > $out/m/results_2026-01-01T00-00-00.000001.json\n");
        python.close();
        QVERIFY(python.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        environment.insert("COSPADI_LM_EVAL_PYTHON", python.fileName());
    }

  private slots:
    void initTestCase() { QVERIFY(isValid()); }

    // Tasks that lm-eval asks, here one that answers as it is told and writes down what it was
    // asked. Where it cannot load them nothing is compressed, and other labels are made.
    void tasksOfLmEval() {
        useRuns("runs");
        writeStandIn();
        writeEntry("plain", "", "[error]");
        writeEntry("reasoning",
                   "  tasks: {names: [alpha, omega], by: lm-eval, limit: 4}\n"
                   "quick: {tasks: {limit: 2}}\n",
                   "[{title: bbh, own: alpha/acc_norm, published: bbh}, error]");
        environment.insert("COSPADI_RESOURCES", place("resources"));
        const QStringList arguments = {"reproduce", "reasoning", model(), "--json"};
        const auto calls = [&] { return linesOf(place("asked-of-lm-eval")); };

        const CliOutcome all = run({"reproduce", "all", model(), "--json"});
        QCOMPARE(all.exitCode, 1);
        std::map<std::string, json> labels;
        const json told = all.object();
        for (const json& label : told["labels"]) {
            labels[label.at("name").get<std::string>()] = label;
        }
        QVERIFY(labels.at("plain").at("holes").empty());
        const std::string reason = labels.at("reasoning").at("error").get<std::string>();
        QVERIFY2(reason.find("SaylorTwift/bbh could not be reached") != std::string::npos,
                 reason.c_str());
        QVERIFY(calls().isEmpty());
        const json plan = run(arguments + QStringList{"--dry-run"}).object();
        QCOMPARE(plan["missing"].get<int>(), 2);
        for (const json& job : plan["jobs"]) {
            // Not compressed in vain.
            QCOMPARE(job["state"].get<std::string>(), std::string("new"));
            QCOMPARE(job["untimed"].dump(), std::string(R"(["alpha","omega"])"));
        }

        QFile reachable(place("is-reachable"));
        QVERIFY(reachable.open(QIODevice::WriteOnly));
        const CliOutcome made = run(arguments);
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QCOMPARE(calls().size(), 2);  // a call a run
        for (const QByteArray& call : calls()) {
            QVERIFY2(call.contains("--tasks alpha,omega ") && call.contains("--limit 4"),
                     call.constData());
        }
        const json table = made.object()["tables"][0];
        const std::string cell = rowOf(table, "model", "svd", 0.2)["bbh"].dump();
        QVERIFY2(cell.find("37.5") != std::string::npos, cell.c_str());
        QVERIFY2(cell.find("6.25") != std::string::npos, cell.c_str());
        // The paper's, from its Table 13.
        QCOMPARE(rowOf(table, "Qwen3-8B (paper, table 13)", "SVDLLM", 0.2)["bbh"].get<double>(),
                 41.0);
        const std::string notes = table["notes"].dump();
        QVERIFY2(notes.find("acc_norm of lm-eval's task alpha, 4 items") != std::string::npos,
                 notes.c_str());

        // What it has answered is not asked again, and what is lost is, of that run alone.
        QCOMPARE(run(arguments).object()["skipped"].get<int>(), 2);
        QCOMPARE(calls().size(), 2);
        const json listed = run({"runs", "list", "--json"}).object();
        for (const json& stored : listed["runs"]) {
            if (stored["layers"] == "attn_q" && stored["cr"] == 0.4) {
                fs::remove_all(fs::path(stored["directory"].get<std::string>()) / "evaluations");
            }
        }
        QCOMPARE(run(arguments + QStringList{"--dry-run"}).object()["missing"].get<int>(), 1);
        QCOMPARE(run(arguments).object()["skipped"].get<int>(), 1);
        QCOMPARE(calls().size(), 3);
        // Fewer items are another question of the same runs.
        const QStringList quick = arguments + QStringList{"--quick"};
        QCOMPARE(run(quick + QStringList{"--dry-run"}).object()["missing"].get<int>(), 2);
        aRecordIsMadeAgainToBeAsked(arguments, quick);
        QCOMPARE(run(quick).exitCode, 0);
        QCOMPARE(calls().size(), 5);
        QVERIFY2(calls().last().contains("--limit 2"), calls().last().constData());
    }

  private:
    // One of the two loses its matrices, as in an archive of records: what it has answered stands.
    void aRecordIsMadeAgainToBeAsked(const QStringList& same, const QStringList& other) {
        const json listed = run({"runs", "list", "--layers", "attn_q", "--json"}).object();
        const std::string directory = listed["runs"][0]["directory"].get<std::string>();
        fs::remove_all(fs::path(directory) / "matrices");
        const json stands = run(same + QStringList{"--dry-run"}).object();
        QCOMPARE(stands["missing"].get<int>(), 0);
        QCOMPARE(stands["bytes"].get<std::int64_t>(), std::int64_t{0});
        const json plan = run(other + QStringList{"--dry-run"}).object();
        int again = 0;
        for (const json& job : plan["jobs"]) {
            const bool isRecord = job["state"] == "incomplete";
            again += isRecord ? 1 : 0;
            QCOMPARE(job["directory"] == directory, isRecord);
            QCOMPARE(job["seconds"].get<double>() > 0, isRecord);
            if (isRecord) {
                QCOMPARE(plan["bytes"], job["bytes"]);
            }
        }
        QCOMPARE(again, 1);
    }
};

COSPADI_TEST(TestCliReproducedTasks)

}  // namespace tst_cli_reproduced_tasks

#include "tst_cli_reproduced_tasks.moc"
