// The revision that programs carry, as every build asks for it (cmake/revision_header.cmake).
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/core/oracle_data.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_program_revision {

namespace fs = std::filesystem;

class TestProgramRevision : public QObject, OwnFolder {
    Q_OBJECT

    static QString outputOf(const QString& program, const QStringList& arguments) {
        QProcess process;
        process.start(program, arguments);
        return process.waitForFinished() && process.exitCode() == 0
                   ? QString::fromUtf8(process.readAllStandardOutput()).trimmed()
                   : QString("failed: " + process.readAllStandardError());
    }

    QString git(const QStringList& arguments) const {
        return outputOf("git", QStringList{"-C", place("sources").c_str(), "-c", "user.name=n",
                                           "-c", "user.email=e", "-c", "commit.gpgsign=false"} +
                                   arguments);
    }

    void write(const char* file, const char* text) const {
        std::ofstream(place("sources") / file) << text;
    }

    QString stamped() const {
        const QString said =
            outputOf("cmake", {QString("-DSOURCES=%1").arg(place("sources").c_str()),
                               QString("-DHEADER=%1").arg(place("revision.h").c_str()), "-P",
                               COSPADI_SOURCE_DIR "/cmake/revision_header.cmake"});
        return said.startsWith("failed")
                   ? said
                   : QString::fromStdString(oracle::text(place("revision.h"))).section('"', 1, 1);
    }

  private slots:
    void initTestCase() {
        for (const char* program : {"git", "cmake"}) {
            if (QStandardPaths::findExecutable(program).isEmpty()) {
                QSKIP("git and cmake are not both installed");
            }
        }
        fs::create_directories(place("sources"));
        QVERIFY(!git({"init", "-q"}).startsWith("failed"));
        write("tracked", "1");
        QCOMPARE(git({"add", "tracked"}), "");
        QCOMPARE(git({"commit", "-q", "-m", "first"}), "");
        QCOMPARE(git({"tag", "-a", "v1", "-m", "v1"}), "");
    }

    void tellsOfUncommittedChanges() {
        const QString head = git({"rev-parse", "--short=12", "HEAD"});
        QCOMPARE(stamped(), head);
        const auto before = fs::last_write_time(place("revision.h"));
        write("untracked", "");
        QCOMPARE(stamped(), head);
        QCOMPARE(fs::last_write_time(place("revision.h")), before);  // nothing is compiled again
        write("tracked", "2");
        QCOMPARE(stamped(), head + "-dirty");
        QCOMPARE(git({"commit", "-q", "-a", "-m", "second"}), "");
        QCOMPARE(stamped(), git({"rev-parse", "--short=12", "HEAD"}));
        QVERIFY(stamped() != head);
    }

    void sourcesWithoutARepositoryHaveNone() {
        fs::remove_all(place("sources") / ".git");
        QCOMPARE(stamped(), "");
    }
};

COSPADI_TEST(TestProgramRevision)

}  // namespace tst_program_revision

#include "tst_program_revision.moc"
