// Runs as archives, by the command line: they leave as one file and come back; bad ones are named.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_archives {

using cli_runs::codesIn;
using cli_runs::compressArguments;
using nlohmann::json;

class TestCliArchives : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    // A run leaves as one file that any tar reads, and comes back with what people wrote to it.
    void runsTravel() {
        const std::string id = run(compressArguments(place("traveller"))).object()["run"];
        const QString name = QString::fromStdString(id);
        QCOMPARE(run({"runs", "tag", name, "mine"}).exitCode, 0);
        QCOMPARE(run({"runs", "note", name, "a note"}).exitCode, 0);
        QCOMPARE(run({"runs", "star", name}).exitCode, 0);
        // What a task of lm-eval leaves lies deepest.
        const QString task = place("traveller/evaluations/lm-eval-0123456789ab");
        QVERIFY(QDir().mkpath(task));
        for (const char* part : {"results.json", "samples_arc_challenge.jsonl"}) {
            QFile result(task + "/" + part);
            QVERIFY(result.open(QIODevice::WriteOnly));
            result.write("{}");
        }
        const QString file = place("run.tar");
        QCOMPARE(run({"runs", "export", name, "--out", file}).exitCode, 0);
        QVERIFY(run({"runs", "export", name, "--out", file}).error.contains("already exists"));
        const CliOutcome listed = run({"-tf", file}, "tar");
        QCOMPARE(listed.exitCode, 0);
        QVERIFY(listed.out.contains(name.toUtf8() + "/matrices/blk.0.attn_q.safetensors"));
        QVERIFY(!listed.out.contains("run.lock"));
        QDir().mkpath(place("unpacked"));
        QCOMPARE(run({"-xf", file, "-C", place("unpacked")}, "tar").exitCode, 0);
        QVERIFY(codesIn(place("unpacked/" + name)) == codesIn(place("traveller")));

        QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
        QVERIFY(!QFileInfo::exists(place("traveller")));
        const json taken = run({"runs", "import", file, "--json"}).object();
        QCOMPARE(taken["imported"].get<int>(), 1);
        const json shown = run({"runs", "show", name, "--json"}).object();
        QCOMPARE(shown["tags"], json::array({"mine"}));
        QCOMPARE(shown["note"].get<std::string>(), std::string("a note"));
        QVERIFY(shown["starred"].get<bool>());
        QVERIFY(codesIn(QString::fromStdString(shown["directory"])) ==
                codesIn(place("unpacked/" + name)));
        QVERIFY(run({"runs", "import", file}).error.contains("there is already a run"));

        // A tar that someone packed again comes in too, compressed or not.
        for (const QStringList& how :
             {QStringList{"-cf", place("again.tar")}, QStringList{"-czf", place("again.tar.gz")}}) {
            QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
            QCOMPARE(run(how + QStringList{"-C", place("unpacked"), name}, "tar").exitCode, 0);
            const CliOutcome packed = run({"runs", "import", how.last()});
            QVERIFY2(packed.exitCode == 0, qPrintable(packed.error));
        }
        QVERIFY(QFile::resize(place("again.tar.gz"), QFileInfo(place("again.tar.gz")).size() / 2));
        QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
        const CliOutcome cut = run({"runs", "import", place("again.tar.gz")});
        QVERIFY2(cut.exitCode == 1 && cut.error.contains("truncated"), qPrintable(cut.error));
    }

    // Matrices may lie on another disk; what a killed process left half-written is no part of a
    // run.
    void linkedFoldersTravel() {
        const QString name =
            QString::fromStdString(run(compressArguments(place("linked"))).object()["run"]);
        QVERIFY(QDir().rename(place("linked/matrices"), place("another disk")));
        QVERIFY(QFile::link(place("another disk"), place("linked/matrices")));
        for (const char* part : {"result.json.tmp.abcdefghij", "matrices/x.tmp.abcdefghij"}) {
            QFile left(place("linked/") + part);
            QVERIFY(left.open(QIODevice::WriteOnly));
        }
        const QString file = place("linked.tar");
        const CliOutcome exported = run({"runs", "export", name, "--out", file});
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.error));
        const QByteArray listed = run({"-tf", file}, "tar").out;
        QVERIFY(listed.contains(name.toUtf8() + "/matrices/blk.0.attn_q.safetensors"));
        QVERIFY2(!listed.contains(".tmp."), listed.constData());
        QCOMPARE(run({"runs", "delete", name, "--files"}).exitCode, 0);
        QCOMPARE(run({"runs", "import", file}).exitCode, 0);
    }

    void placesThatCannotBeReadAreNamed() {
        const QString endless(300, 'x');
        const CliOutcome outcome = run({"runs", "import", endless});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains("the runs directory cannot be read") &&
                     outcome.error.contains("give an existing folder"),
                 qPrintable(outcome.error));
    }

    void badArchives_data() {
        QTest::addColumn<QString>("python");
        QTest::addColumn<QString>("says");
        const QString add =
            "i = tarfile.TarInfo('%1'); i.size = 2; t.addfile(i, io.BytesIO(b'{}'))";
        QTest::newRow("climbs") << add.arg("x/../../evil") << "not a file of a run";
        QTest::newRow("absolute") << add.arg("/tmp/evil") << "not a file of a run";
        QTest::newRow("top level") << add.arg("evil") << "not a file of a run";
        QTest::newRow("link") << "i = tarfile.TarInfo('x/run.json'); i.type = tarfile.SYMTYPE; "
                                 "i.linkname = '/etc/passwd'; t.addfile(i)"
                              << "not a regular file";
        QTest::newRow("no run") << add.arg("x/letter.txt") << "run.json";
        QTest::newRow("empty") << "pass"
                               << "contains no run";
    }

    void badArchives() {
        QFETCH(QString, python);
        QFETCH(QString, says);
        const QString file = place("bad.tar");
        QFile::remove(file);
        QCOMPARE(run({"-c",
                      "import io, sys, tarfile\nt = tarfile.open(sys.argv[1], 'w')\n" + python +
                          "\nt.close()",
                      file},
                     "python3")
                     .exitCode,
                 0);
        const CliOutcome outcome = run({"runs", "import", file});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.error.contains(says), qPrintable(outcome.error));
        QVERIFY(!QFileInfo::exists(place("evil")) && !QFileInfo::exists("/tmp/evil"));
        const QDir runs(place("data/cospadi/runs"));
        QVERIFY(!runs.exists() ||
                runs.entryList({".import*", "x"}, QDir::AllEntries | QDir::Hidden).isEmpty());
    }

    void damagedArchivesAreNamed() {
        const QString file = place("cut.tar");
        QFile whole(file);
        QVERIFY(whole.open(QIODevice::WriteOnly));
        whole.write(QByteArray(5000, 'x'));
        whole.close();
        QVERIFY(run({"runs", "import", file}).error.contains("not a tar archive"));
    }
};

COSPADI_TEST(TestCliArchives)

}  // namespace tst_cli_archives

#include "tst_cli_archives.moc"
