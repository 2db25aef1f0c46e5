// kill -9 in the middle of every writer: in one of its calls that change a file (kill_at_call.cpp),
// anywhere from the first to the last. Whatever stands under a final name is whole; the command
// started again comes to the end, and to the same bytes where these are determined.
//
// COSPADI_KILL_POINTS   how many in all (default 40)
#include <sys/wait.h>

#include <QtTest>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/core/killed_writers.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_kill_points {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // its library must be loaded before ours
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

class TestKillPoints : public QObject, KilledWriters {
    Q_OBJECT

    // Nothing that is not whole stands beside it.
    static QStringList leftovers(const QString& folder) {
        return QDir(folder).entryList({"*.tmp.*"}, QDir::AllEntries | QDir::Hidden | QDir::System);
    }

    static void freshCopy(const QString& from, const QString& to) {
        fs::remove_all(to.toStdString());
        fs::copy(from.toStdString(), to.toStdString(), fs::copy_options::recursive);
    }

    void fresh(const QString& name) {
        fs::remove_all(place(name).toStdString());
        useRuns(name);
    }

  private slots:
    void initTestCase() {
        if (kSanitized) {
            QSKIP("nothing can be preloaded before the sanitizer");
        }
        if (qEnvironmentVariableIsSet("COSPADI_KILL_POINTS")) {
            m_points = qEnvironmentVariableIntValue("COSPADI_KILL_POINTS");
        }
        useRuns("reference");
        const QString whole = place("reference/r");
        QCOMPARE(run(CliUnderTest::compress({"--layers", "blk.0.attn", "--out", whole})).exitCode,
                 0);
        QCOMPARE(run(CliUnderTest::compress({"--out", place("reference/all")})).exitCode, 0);
    }

    void compress() {
        const QString out = place("compress/r");
        exercise({"compress",
                  [&] { fresh("compress"); },
                  CliUnderTest::compress({"--layers", "blk.0.attn", "--out", out}),
                  {},
                  {},
                  [&] { requireSame(place("reference/r"), out); }});
    }

    void compressWithItsModel() {
        const QString out = place("with-model/r");
        exercise({"compress, all layers",
                  [&] { fresh("with-model"); },
                  CliUnderTest::compress({"--out", out}),
                  {},
                  {},
                  [&] { requireSame(place("reference/all"), out); }});
    }

    // Added to a finished run: its matrices are not touched.
    void addedModel() {
        const QString out = place("added/r");
        const QString reference = place("added-reference");
        const QStringList command =
            CliUnderTest::compress({"--layers", "blk.0.attn", "--out", out, "--model"});
        const auto prepare = [&] {
            fresh("added");
            freshCopy(place("reference/r"), out);
        };
        prepare();
        QCOMPARE(run(command).exitCode, 0);
        freshCopy(out, reference);
        exercise({"compress --model",
                  prepare,
                  command,
                  [&] { requireSame(place("reference/r") + "/matrices", out + "/matrices"); },
                  {},
                  [&] { requireSame(reference, out); }});
    }

    void evaluation() {
        const QString out = place("evaluated/all");
        const QStringList command{"evaluate",  out,  "--perplexity", text(),
                                  "--context", "16", "--json"};
        const auto prepare = [&] {
            fresh("evaluated");
            freshCopy(place("reference/all"), out);
        };
        const QString reference = place("evaluated-reference");
        prepare();
        QCOMPARE(run(command).exitCode, 0);
        freshCopy(out, reference);
        exercise({"evaluate", prepare, command, {}, {}, [&] { requireSame(reference, out); }});
    }

    void allocation() {
        const QString out = place("allocated/r");
        const QStringList command{"compress",      model(),
                                  "--method",      "svd-llm",
                                  "--allocation",  "knapsack",
                                  "--calibration", text(),
                                  "--sequences",   "2",
                                  "--length",      "32",
                                  "--layers",      "blk.0.attn_[kq]",
                                  "--out",         out};
        fresh("allocated");
        const CliOutcome first = run(command);
        if (first.exitCode != 0) {
            QSKIP(qPrintable("no text long enough: " + first.error));
        }
        const QString reference = place("allocated-reference");
        freshCopy(out, reference);
        exercise({"compress --allocation knapsack",
                  [&] { fresh("allocated"); },
                  command,
                  {},
                  {},
                  [&] { requireSame(reference, out); }});
    }

    void annotations() {
        const QString out = place("annotated/r");
        const auto prepare = [&] {
            fresh("annotated");
            freshCopy(place("reference/r"), out);
            run({"runs", "import"});
            run({"runs", "tag", out, "before"});
        };
        const auto tags = [&]() -> json {
            const json shown = run({"runs", "show", out, "--json"}).object();
            const json file = json::parse(oracle::text((out + "/annotations.json").toStdString()));
            return shown["tags"] == file["tags"] ? shown["tags"] : json("they differ");
        };
        exercise({"runs tag",
                  prepare,
                  {"runs", "tag", out, "after"},
                  [&] {
                      // The run's own file is what an import believes.
                      QCOMPARE(run({"runs", "import"}).exitCode, 0);
                      const json found = tags();
                      QVERIFY2(found == json({"before"}) || found == json({"after", "before"}),
                               found.dump().c_str());
                  },
                  {},
                  [&] {
                      QCOMPARE(tags(), json({"after", "before"}));
                  }});
    }

    // Stopped in the middle of an export, nothing else writes the run.
    void archiveHoldsTheRun() {
        useRuns("packed");
        const QString out = place("packed/r");
        freshCopy(place("reference/r"), out);
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        const QString tar = place("packed.tar");
        const QStringList command{"runs", "export", out, "--out", tar};
        const long calls = callsOf(command);
        QVERIFY(calls > 5);
        QVERIFY(QFile::remove(tar));
        environment.insert("LD_PRELOAD", COSPADI_KILL_AT_CALL);
        environment.insert("COSPADI_STOP_AT", QString::number(calls / 2));
        QProcess exporting;
        exporting.setProcessEnvironment(environment);
        exporting.start(COSPADI_CLI, command);
        QVERIFY(exporting.waitForStarted());
        environment.remove("LD_PRELOAD");
        environment.remove("COSPADI_STOP_AT");
        siginfo_t info{};
        QCOMPARE(::waitid(P_PID, static_cast<id_t>(exporting.processId()), &info,
                          WSTOPPED | WEXITED | WNOWAIT),
                 0);
        QCOMPARE(info.si_code, CLD_STOPPED);
        const CliOutcome refused =
            run(CliUnderTest::compress({"--layers", "blk.0.attn", "--out", out, "--model"}));
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.out.contains("another process is writing this run"),
                 refused.out.constData());
        QCOMPARE(run({"runs", "delete", out, "--files", "--yes"}).exitCode, 1);
        QCOMPARE(::kill(static_cast<pid_t>(exporting.processId()), SIGCONT), 0);
        QVERIFY(exporting.waitForFinished(60000));
        QCOMPARE(exporting.exitCode(), 0);
        QVERIFY(QFile::exists(tar));
    }

    void archiveWritten() {
        useRuns("reference");
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        const QString out = place("archives/r.tar");
        const QString reference = place("reference.tar");
        QCOMPARE(run({"runs", "export", place("reference/r"), "--out", reference}).exitCode, 0);
        const QStringList command{"runs", "export", place("reference/r"), "--out", out};
        exercise({"runs export",
                  [&] {
                      fs::remove_all(place("archives").toStdString());
                      QDir().mkpath(place("archives"));
                  },
                  command,
                  [&] {
                      if (QFileInfo::exists(out)) {
                          requireSame(reference, out);
                          QFile::remove(out);
                      }
                  },
                  {},
                  [&] {
                      requireSame(reference, out);
                      QCOMPARE(leftovers(place("archives")), QStringList());
                  }});
    }

    void archiveTakenIn() {
        useRuns("reference");
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        QCOMPARE(run({"runs", "tag", place("reference/r"), "mine"}).exitCode, 0);
        const QString tar = place("taken.tar");
        QCOMPARE(run({"runs", "export", place("reference/r"), "--out", tar}).exitCode, 0);
        const json record = json::parse(oracle::text(place("reference/r/run.json").toStdString()));
        const QString id = QString::fromStdString(record["id"]);
        const QString runs = place("taken");
        exercise(
            {"runs import",
             [&] { fresh("taken"); },
             {"runs", "import", tar},
             [&] {
                 if (QFileInfo::exists(runs + "/" + id)) {
                     requireSame(place("reference/r"), runs + "/" + id);
                 }
             },
             [&] {
                 const bool isThere = QFileInfo::exists(runs + "/" + id);
                 QCOMPARE(run(isThere ? QStringList{"runs", "import"}
                                      : QStringList{"runs", "import", tar})
                              .exitCode,
                          0);
             },
             [&] {
                 requireSame(place("reference/r"), runs + "/" + id);
                 QCOMPARE(run({"runs", "show", id, "--json"}).object()["tags"], json({"mine"}));
                 QCOMPARE(leftovers(runs), QStringList());
             }});
    }

    void exports_data() {
        QTest::addColumn<QString>("format");
        QTest::newRow("hf") << "hf";
        QTest::newRow("gguf") << "gguf";
    }

    void exports() {
        QFETCH(QString, format);
        useRuns("reference");
        const QString folder = place("exported-" + format);
        const QString reference = place("reference-model." + format);
        const auto command = [&](const QString& out) {
            return QStringList{"export", place("reference/all"), "--format", format, "--out", out};
        };
        QCOMPARE(run(command(reference)).exitCode, 0);
        const QString out = folder + "/model." + format;
        exercise({"export",
                  [&] {
                      fs::remove_all(folder.toStdString());
                      QDir().mkpath(folder);
                  },
                  command(out),
                  [&] {
                      if (QFileInfo::exists(out)) {
                          requireSame(reference, out);
                          fs::remove_all(out.toStdString());
                      }
                  },
                  {},
                  [&] {
                      requireSame(reference, out);
                      QCOMPARE(leftovers(folder), QStringList());
                  }});
    }

    void mostWereKilled() {
        qInfo("%d kill points, %d of them reached", m_done, m_killed);
        // Threads make a few calls more or less than in the count.
        QVERIFY2(m_killed * 10 >= m_done * 9, qPrintable(QString::number(m_killed)));
    }
};

COSPADI_TEST(TestKillPoints)

}  // namespace tst_kill_points

#include "tst_kill_points.moc"
