// A sweep by a real snakemake: COSPADI_TEST_SCHEDULERS_PYTHON names a Python that has it, else the
// test is skipped. What it calls done is done, once, with the bits of a local run.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/core/matrix_contents.h"
#include "tests/registered_test.h"

namespace tst_snakemake {

using nlohmann::json;
namespace fs = std::filesystem;

class TestSnakemake : public QObject, CliUnderTest {
    Q_OBJECT

    const QString m_python = qEnvironmentVariable("COSPADI_TEST_SCHEDULERS_PYTHON");

    QString sweepFile(const QString& name) const { return place(name + "/sweep.json"); }

    // Four jobs, two of which share a calibration; perplexity of each.
    QStringList grid(const QString& name, const QStringList& more) const {
        return QStringList{"sweep",         model(),
                           "--method",      "svd,svd-llm",
                           "--cr",          "0.2,0.4",
                           "--layers",      "attn_",
                           "--sequences",   "4",
                           "--length",      "32",
                           "--calibration", text(),
                           "--evaluate",    text(),
                           "--context",     "32",
                           "--max-tokens",  "128",
                           "--write-jobs",  sweepFile(name),
                           "--on",          "snakemake",
                           "--json"} +
               more;
    }

    // In a folder of its own, where it leaves its log.
    CliOutcome snakemake(const json& written, const QStringList& more = {}) const {
        QDir().mkpath(place("here"));
        return CliUnderTest::run(
            QStringList{"-c", "cd \"$0\" && exec \"$@\"", place("here"), m_python, "-m",
                        "snakemake", "--snakefile",
                        QString::fromStdString(written["file"].get<std::string>()), "--cores",
                        "2"} +
                more,
            "bash");
    }

    json status(const QString& name) const {
        return run({"sweep", "status", sweepFile(name), "--json"}).object();
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        if (m_python.isEmpty() || run({"-c", "import snakemake"}, m_python).exitCode != 0) {
            QSKIP("COSPADI_TEST_SCHEDULERS_PYTHON names no Python with snakemake");
        }
    }

    void doesEveryJobOnce_data() {
        QTest::addColumn<QStringList>("more");
        QTest::newRow("a job a task") << QStringList{};
        QTest::newRow("bundles") << QStringList{"--bundle", "3"};
    }

    void doesEveryJobOnce() {
        QFETCH(QStringList, more);
        const QString name = QString("it's {") + QTest::currentDataTag() + "}";
        const CliOutcome written = run(grid(name, more));
        QVERIFY2(written.exitCode == 0, qPrintable(written.error));
        QCOMPARE(written.object()["jobs"].get<int>(), 4);
        QCOMPARE(status(name)["done"].get<int>(), 0);
        QVERIFY(status(name)["start_again"].get<std::string>().starts_with("snakemake "));
        const CliOutcome worked = snakemake(written.object());
        QVERIFY2(worked.exitCode == 0, qPrintable(worked.error.right(3000)));
        const json told = status(name);
        QCOMPARE(told["done"].get<int>(), 4);
        for (const json& job : told["jobs"]) {
            QCOMPARE(job["attempts"].get<int>(), more.isEmpty() ? 2 : 1);
        }
        // Again: nothing is left to do, and nothing is done.
        const CliOutcome again = snakemake(written.object());
        QCOMPARE(again.exitCode, 0);
        QVERIFY2(again.error.contains("Nothing to be done"), qPrintable(again.error));
        QCOMPARE(status(name)["jobs"].dump(), told["jobs"].dump());
        // The bits of runs that no engine had a hand in.
        useRuns("local " + name);
        std::ifstream file(sweepFile(name).toStdString());
        const json jobs = json::parse(file).at("jobs");
        for (const json& job : jobs) {
            const auto id = job["id"].get<std::string>();
            const fs::path done =
                fs::path(sweepFile(name).toStdString()).parent_path() / "runs" / id;
            const json& specification = job["specification"];
            const QString alone = place(QString("alone %1 %2").arg(name, id.c_str()));
            const CliOutcome local =
                run({"compress", model(), "--method",
                     QString::fromStdString(specification["method"].get<std::string>()), "--cr",
                     QString::number(specification["cr"].get<double>()), "--layers", "attn_",
                     "--sequences", "4", "--length", "32", "--calibration", text(), "--out", alone,
                     "--no-model"});
            QVERIFY2(local.exitCode == 0, qPrintable(local.error));
            QVERIFY(!matrix_contents::ofRun(done).empty());
            QVERIFY(matrix_contents::ofRun(done) == matrix_contents::ofRun(alone.toStdString()));
        }
    }

    // A job that cannot succeed stops none of the others.
    void failuresAreTold() {
        const QString name = "broken";
        const json written = run(grid(name, {})).object();
        QFile::remove(text());
        const CliOutcome worked = snakemake(written, {"--keep-going", "--retries", "0"});
        QCOMPARE(worked.exitCode, 1);
        QCOMPARE(status(name)["done"].get<int>(), 0);
        QVERIFY(status(name)["failed"].get<int>() > 0);
    }
};

COSPADI_TEST(TestSnakemake)

}  // namespace tst_snakemake

#include "tst_snakemake.moc"
