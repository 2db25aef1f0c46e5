// The Python that lm-eval runs in: locked packages, nothing of the folder that the user stands in,
// and nobody else's home.
#include <QtTest>
#include <algorithm>
#include <map>
#include <sstream>

#include "core/base/child_process.h"
#include "core/base/sha256.h"
#include "core/base/user_directories.h"
#include "core/lm_eval/python_environment.h"
#include "lm_eval_under_test.h"
#include "tests/registered_test.h"

namespace tst_lm_eval_environment {

using namespace cospadi;
using lm_eval::kRecorded;
using lm_eval::writeText;
namespace fs = std::filesystem;

namespace {

// The current folder, for as long as the object lives.
class Inside {
  public:
    explicit Inside(const fs::path& folder) : m_before(fs::current_path()) {
        fs::create_directories(folder);
        fs::current_path(folder);
    }
    ~Inside() { fs::current_path(m_before); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    fs::path m_before;
};

}  // namespace

class TestLmEvalEnvironment : public QObject, lm_eval::UnderTest {
    Q_OBJECT

    // A folder with modules that leave a mark if Python takes them for its own. Returns the mark.
    fs::path trap(const fs::path& folder) const {
        const fs::path mark = place("mark");
        fs::remove(mark);
        for (const char* module : {"pip", "venv", "ensurepip", "lm_eval", "datasets", "argparse",
                                   "zipfile", "pathlib", "sitecustomize"}) {
            writeText(folder / (std::string(module) + ".py"),
                      "open('" + mark.string() + "', 'a').write(__name__)\n");
        }
        return mark;
    }

  private slots:
    void initTestCase() { useOwnFolders(); }
    void cleanup() { qunsetenv("COSPADI_LM_EVAL_PYTHON"); }

    // Python searches the folder it is started in first; the user may stand anywhere.
    void startedInAFolderOfItsOwn() {
        standIn("mkdir -p $out/m; cp '" + kRecorded.string() + "' $out/m/; pwd >'" +
                place("stood").string() + "'; echo \"$PYTHONSAFEPATH\" >>'" +
                place("stood").string() + "'\n");
        const Inside inside(place("elsewhere"));
        LmEvalRequest relative = request();
        QVERIFY(runLmEval(relative, {}, {}).has_value());
        const QString stood = QString::fromStdString(oracle::text(place("stood")));
        QVERIFY2(stood.contains("lm-eval-work/work-") && stood.endsWith("\n1\n"),
                 qPrintable(stood));
        relative.include = place("include");
        writeText(place("include/own.yaml"), "task: own\n");
        QVERIFY(runLmEval(relative, {}, {}).has_value());
        QVERIFY(oracle::text(place("stood")).find("/tasks/included\n") != std::string::npos);
    }

    void modulesOfTheCurrentFolderStayOut() {
        const fs::path here = place("trap");
        const fs::path mark = trap(here);
        const Inside inside(here);
        qputenv("PIP_NO_INDEX", "1");
        qunsetenv("PIP_FIND_LINKS");
        // venv and pip; nothing can be fetched, so that it ends there.
        QString error = oracle::errorOf([] { lmEvalEnvironment(); });
        QVERIFY2(error.contains("require-hashes"), qPrintable(error));
        QVERIFY2(!fs::exists(mark), oracle::text(mark).c_str());
        // An interpreter that was named and has no lm-eval.
        qputenv("COSPADI_LM_EVAL_PYTHON", "python3");
        error = oracle::errorOf([] { lmEvalEnvironment(); });
        QVERIFY2(error.contains("has no lm-eval"), qPrintable(error));
        QVERIFY2(!fs::exists(mark), oracle::text(mark).c_str());
        // The script behind ./run.
        std::string said;
        const auto outcome =
            runChild({{"sh", COSPADI_SOURCE_DIR "/packaging/fetch_model.sh"}, {}, here},
                     [&](std::string_view text) { said += text; });
        QVERIFY(outcome.exitCode != 0);
        QVERIFY2(said.find("package index") != std::string::npos, said.c_str());
        QVERIFY2(!fs::exists(mark), oracle::text(mark).c_str());
        qunsetenv("PIP_NO_INDEX");
    }

    // What was installed by another list is made again, what was by this one is taken as it is.
    void environmentOfAnotherList() {
        const fs::path folder = place("home/cospadi") / (std::string("lm-eval-") + lmEvalVersion);
        const std::string list = sha256OfString(
            oracle::text(fs::path(COSPADI_SOURCE_DIR "/resources/lm_eval/requirements.txt")));
        writeText(folder / "ready", "/its/tasks\n" + list + "\n");
        QCOMPARE(lmEvalEnvironment().tasks, fs::path("/its/tasks"));
        qputenv("PIP_NO_INDEX", "1");
        for (const std::string& ready :
             {std::string("/its/tasks\n"), "/its/tasks\n" + list + "0\n"}) {
            writeText(folder / "ready", ready);
            const QString error = oracle::errorOf([] { lmEvalEnvironment(); });
            QVERIFY2(error.contains("require-hashes"), qPrintable(error));
            QVERIFY(!fs::exists(folder / "ready"));
        }
        qunsetenv("PIP_NO_INDEX");
    }

    // Packages may warn while they are imported.
    void warningsOfItsPackages() {
        writeText(place("python"),
                  "#!/bin/sh\necho 'RequestsDependencyWarning: urllib3' >&2\n"
                  "echo 0.4.13; echo /its/tasks\n");
        fs::permissions(place("python"), fs::perms::owner_all);
        qputenv("COSPADI_LM_EVAL_PYTHON", place("python").c_str());
        QCOMPARE(lmEvalEnvironment().tasks, fs::path("/its/tasks"));
        qunsetenv("COSPADI_LM_EVAL_PYTHON");
    }

    // Every package of the lists in one version, and no file without a hash, from nowhere in
    // particular.
    void lockedPackages() {
        for (const char* name : {"build.txt", "requirements.txt"}) {
            std::istringstream lines(
                oracle::text(fs::path(COSPADI_SOURCE_DIR "/resources/lm_eval") / name));
            std::map<std::string, int> hashes;
            std::string package;
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with("    --hash=sha256:")) {
                    ++hashes[package];
                } else if (!line.starts_with("#")) {
                    package = line.substr(0, line.find(' '));
                    QVERIFY2(package.find("==") != std::string::npos, line.c_str());
                    QVERIFY2(hashes.emplace(package, 0).second, line.c_str());
                }
                QVERIFY2(line.find("://") == std::string::npos, line.c_str());
            }
            for (const auto& [locked, count] : hashes) {
                QVERIFY2(count > 0, locked.c_str());
            }
            QVERIFY(std::any_of(hashes.begin(), hashes.end(), [](const auto& entry) {
                return entry.first.starts_with("setuptools==");
            }));
            // What IFEval and MATH import.
            for (const char* extra : {"langdetect", "immutabledict", "nltk", "sympy", "math-verify",
                                      "antlr4-python3-runtime"}) {
                QCOMPARE(std::any_of(hashes.begin(), hashes.end(),
                                     [&](const auto& entry) {
                                         return entry.first.starts_with(std::string(extra) + "==");
                                     }),
                         std::string(name) == "requirements.txt");
            }
            QCOMPARE(hashes.contains(std::string("lm-eval==") + lmEvalVersion),
                     std::string(name) == "requirements.txt");
        }
    }

    void homeIsNobodyElses() {
        const QByteArray home = qgetenv("HOME");
        QCOMPARE(xdgDirectory("XDG_DATA_HOME", "x"), place("home"));
        qputenv("HOME", "relative");
        const fs::path account = homeDirectory();
        QVERIFY(account.is_absolute());
        qunsetenv("HOME");
        QCOMPARE(homeDirectory(), account);  // of the account, as without a HOME that counts
        QCOMPARE(xdgDirectory("COSPADI_NOT_SET", "a/b"), account / "a/b");
        qputenv("HOME", "/somewhere");
        QCOMPARE(homeDirectory(), fs::path("/somewhere"));
        qputenv("HOME", home);
    }
};

COSPADI_TEST(TestLmEvalEnvironment)

}  // namespace tst_lm_eval_environment

#include "tst_lm_eval_environment.moc"
