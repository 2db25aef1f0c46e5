// Stored runs from the command line: what comes from elsewhere, what several processes do at once,
// what is told when the store cannot take something.
#include <unistd.h>

#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/methods/method.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_writer.h"
#include "core/store/folder_lock.h"
#include "core/store/run_lock.h"
#include "core/tensors/atomic_file.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_stored_runs {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

void write(const QString& path, const std::string& text) {
    fs::create_directories(fs::path(path.toStdString()).parent_path());
    std::ofstream(path.toStdString(), std::ios::binary) << text;
}

std::string runFile(const std::string& id, const std::string& model = "/m.gguf") {
    return json{{"format", 1},
                {"id", id},
                {"created", "2026-11-21T04:15:00Z"},
                {"specification", {{"model", model}, {"method", "svd"}, {"cr", 0.2}}}}
        .dump();
}

bool hasControl(const QByteArray& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7f; });
}

}  // namespace

class TestStoredRuns : public QObject, CliUnderTest {
    Q_OBJECT

    json listed(const QStringList& more = {}) const {
        return run(QStringList{"runs", "list", "--json"} + more).object()["runs"];
    }

  private slots:
    // ---- what comes from elsewhere

    void forgedRunsArePassedOver() {
        const QString runs = useRuns("forged");
        write(runs + "/deep/run.json",
              "{\"id\":\"a\",\"specification\":" + std::string(1'000'000, '['));
        write(runs + "/path/run.json", runFile("../../x"));
        write(runs + "/escape/run.json", runFile("\x1b]0;title\x07"));
        write(runs + "/good/run.json", runFile("good-1", "/m\x1b[31m.gguf"));
        const CliOutcome imported = run({"runs", "import"});
        QCOMPARE(imported.exitCode, 0);
        QVERIFY2(imported.error.contains("is nested too deeply"), qPrintable(imported.error));
        QVERIFY2(imported.error.contains("\"../../x\" is not the id of a run"),
                 qPrintable(imported.error));
        QVERIFY(!hasControl(imported.error.toUtf8()));
        QCOMPARE(static_cast<int>(listed().size()), 1);
        run({"runs", "tag", "good-1", "\x1b[2Jtag"});
        run({"runs", "note", "good-1", "note\x1b[2J\u009b31m"});
        for (const QStringList& command :
             {QStringList{"runs", "list"}, QStringList{"runs", "show", "good-1"},
              QStringList{"runs", "show", "\x1b[2J"}}) {
            const CliOutcome shown = run(command);
            QVERIFY2(!hasControl(shown.out) && !hasControl(shown.error.toUtf8()), shown.out);
            QVERIFY(!shown.out.contains("\u009b"));
        }
        QVERIFY(run({"runs", "show", "good-1"}).out.contains("\\x1b[31m"));
        // The look for an earlier run of the same settings passes these over, too.
        QCOMPARE(run(compress({"--layers", "blk.0.attn_k", "--no-model"})).exitCode, 0);
    }

    void twoFoldersHaveTwoIndices() {
        const QString a = useRuns("parent/a");
        QCOMPARE(run(compress({"--layers", "blk.0.attn_k", "--no-model"})).exitCode, 0);
        QCOMPARE(static_cast<int>(listed().size()), 1);
        QVERIFY(QFileInfo::exists(a + "/cospadi.sqlite"));
        const QString b = useRuns("parent/b");
        QCOMPARE(static_cast<int>(listed().size()), 0);
        QVERIFY(!QFileInfo::exists(place("parent/cospadi.sqlite")));
    }

    // ---- annotations

    void annotationsTravelAndComeBack() {
        const QString runs = useRuns("annotated");
        QCOMPARE(run(compress({"--layers", "blk.0.attn_k", "--no-model"})).exitCode, 0);
        const QString id = QString::fromStdString(listed()[0]["id"]);
        QCOMPARE(run({"runs", "tag", id, "paper"}).exitCode, 0);
        QCOMPARE(run({"runs", "note", id, "first"}).exitCode, 0);
        QCOMPARE(run({"runs", "note", id, ""}).exitCode, 1);
        QCOMPARE(run({"runs", "star", id}).exitCode, 0);
        const auto isWhole = [&] {
            const json found = listed();
            return found.size() == 1 && found[0]["tags"] == json({"paper"}) &&
                   found[0]["note"] == "first" && found[0]["starred"] == true;
        };
        QVERIFY(isWhole());
        QCOMPARE(run({"runs", "delete", id}).exitCode, 0);
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        QVERIFY(isWhole());
        for (const char* ending : {"", "-wal", "-shm"}) {
            QFile::remove(runs + "/cospadi.sqlite" + ending);
        }
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        QVERIFY(isWhole());
        const QString tar = place("annotated.tar");
        QCOMPARE(run({"runs", "export", id, "--out", tar}).exitCode, 0);
        useRuns("annotated-elsewhere");
        QCOMPARE(run({"runs", "import", tar}).exitCode, 0);
        QVERIFY(isWhole());
        const json shown = run({"runs", "show", id, "--json"}).object();
        QCOMPARE(shown["notes"][0]["text"], json("first"));
        QCOMPARE(shown["specification"]["layers"], json("blk.0.attn_k"));
        QVERIFY(shown["environment"].contains("revision"));
        // The model's own shape: 4 heads of keys and values, half as many as of queries.
        const json config = json::parse(oracle::text((model() + "/config.json").toStdString()));
        QCOMPARE(shown["matrices_list"][0]["d1"], config["hidden_size"]);
        QCOMPARE(shown["matrices_list"][0]["kind"], json("attn_k"));
    }

    // ---- evaluations

    // A copy of a run is not taken into the index; what was computed is told all the same.
    void evaluationsOfCopiesAreTold() {
        const QString runs = useRuns("copied");
        QCOMPARE(run(compress({"--no-model", "--out", runs + "/r"})).exitCode, 0);
        const QString copy = place("copy-of-r");
        fs::copy((runs + "/r").toStdString(), copy.toStdString(), fs::copy_options::recursive);
        const CliOutcome outcome =
            run({"evaluate", copy, "--perplexity", text(), "--context", "16", "--json"});
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(outcome.object()["perplexity"].get<double>() > 1);
        QVERIFY2(outcome.error.contains("is also used in another directory"),
                 qPrintable(outcome.error));
        QCOMPARE(QDir(copy + "/evaluations").entryList({"*.json"}, QDir::Files).size(), 1);
    }

    void evaluationsInSealedStoresAreTold() {
        const QString runs = useRuns("sealed/runs");
        QCOMPARE(run(compress({"--no-model", "--out", runs + "/r"})).exitCode, 0);
        text();
        const auto seal = [&](bool closed) {
            for (const auto& entry : fs::recursive_directory_iterator(runs.toStdString())) {
                fs::permissions(entry.path(),
                                fs::perms(entry.is_directory() ? (closed ? 0555 : 0755)
                                                               : (closed ? 0444 : 0644)));
            }
            fs::permissions(runs.toStdString(), fs::perms(closed ? 0555 : 0755));
        };
        // Permissions bind nobody who is root.
        const bool isRoot = ::geteuid() == 0;
        QFile::setPermissions(QFileInfo(place("x")).path(), QFile::Permissions(0x7755));
        const QStringList someone =
            isRoot ? QStringList{"--reuid=65534", "--regid=65534", "--clear-groups", COSPADI_CLI}
                   : QStringList{COSPADI_CLI};
        if (run(someone + QStringList{"--version"}, "setpriv").exitCode != 0) {
            QSKIP("the program cannot be started as another user here");
        }
        seal(true);
        const CliOutcome outcome =
            run(someone +
                    QStringList{"evaluate", runs + "/r", "--perplexity", text(), "--context", "16"},
                "setpriv");
        seal(false);
        QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error));
        QVERIFY2(outcome.out.startsWith("perplexity "), outcome.out);
        QVERIFY(!outcome.out.contains("recorded with the run"));
        QVERIFY2(outcome.error.contains("warning: the result was not recorded: "),
                 qPrintable(outcome.error));
    }

    // ---- several at once

    // Three equal commands make one run: the others name it.
    void equalCommandsMakeOneRun() {
        const QString runs = useRuns("at-once");
        std::vector<std::unique_ptr<QProcess>> commands;
        for (int i = 0; i < 3; ++i) {
            auto& command = commands.emplace_back(std::make_unique<QProcess>());
            command->setProcessEnvironment(environment);
            command->start(COSPADI_CLI, compress({"--no-model", "--solver", "ksvd"}));
        }
        int done = 0;
        int refused = 0;
        for (const auto& command : commands) {
            QVERIFY(command->waitForFinished(120000));
            const QString error = QString::fromUtf8(command->readAllStandardError());
            done += command->exitCode() == 0 ? 1 : 0;
            if (command->exitCode() == 1) {
                ++refused;
                QVERIFY2(error.contains("another process is working on this run") &&
                             error.contains(runs + "/"),
                         qPrintable(error));
            }
        }
        QCOMPARE(done + refused, 3);
        QCOMPARE(static_cast<int>(listed().size()), done);
        QVERIFY2(refused == 2, "a command that begins when another has ended makes its own run");
    }

    // A run in another place that the store knows is found as one in the folder of runs is.
    void runsElsewhereAreGoneOnWith() {
        const QString runs = useRuns("here");
        const QString there = place("there/r");
        const QStringList slow =
            compress({"--no-model", "--solver", "ksvd", "--iterations", "300", "--tolerance", "0"});
        QProcess first;
        first.setProcessEnvironment(environment);
        first.start(COSPADI_CLI, slow + QStringList{"--out", there});
        QVERIFY(QTest::qWaitFor(
            [&] {
                return !QDir(there + "/matrices").entryList({"*.safetensors"}, QDir::Files).empty();
            },
            60'000));
        const CliOutcome refused = run(slow);
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.error.contains("another process is working on this run") &&
                     refused.error.contains(there),
                 qPrintable(refused.error));
        first.kill();
        QVERIFY(first.waitForFinished());
        const CliOutcome resumed = run(slow);
        QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.error));
        QVERIFY2(resumed.error.contains("resuming " + there), qPrintable(resumed.error));
        QCOMPARE(resumed.object()["directory"].get<std::string>(), there.toStdString());
        QVERIFY(QDir(runs).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());
        // A finished one is made once more, as one in the folder of runs is.
        const CliOutcome quick = run(compress({"--no-model", "--out", place("there/quick")}));
        QCOMPARE(quick.exitCode, 0);
        QVERIFY(run(compress({"--no-model"})).object()["directory"] != quick.object()["directory"]);
    }

    // Sweep and engine take the lock of the folder as compress does: what was begun before they got
    // it, they see.
    void everyBeginningWaitsForTheFolder() {
        const fs::path runs = useRuns("folder").toStdString();
        cospadi::RunSpecification s;
        s.model = model().toStdString();
        s.method = &cospadi::methodFromName("cospadi-free");
        s.layers = "blk.0.attn_k";
        s = cospadi::resolved(s);
        auto lock = std::make_unique<cospadi::FolderLock>(runs);
        QProcess sweep;
        sweep.setProcessEnvironment(environment);
        sweep.start(COSPADI_CLI, {"sweep", model(), "--method", "cospadi-free", "--layers",
                                  "blk.0.attn_k", "--json"});
        sweep.setReadChannel(QProcess::StandardError);
        QByteArray said;
        while (!said.contains("[1/1]")) {  // it has planned a new run, and begins it
            QVERIFY2(sweep.waitForReadyRead(60000), said.constData());
            said += sweep.readAll();
        }
        QProcess engine;
        engine.setProcessEnvironment(environment);
        engine.start(COSPADI_CLI, {"engine"});
        const json request{
            {"id", 1}, {"method", "compress"}, {"params", {{"specification", cospadi::toJson(s)}}}};
        engine.write(QByteArray::fromStdString(request.dump()) + "\n");
        QVERIFY(engine.waitForBytesWritten());
        {
            const cospadi::RunWriter other(runs / "other", s);
            lock.reset();
            QVERIFY(sweep.waitForFinished(60000));
            QCOMPARE(sweep.exitCode(), 1);
            const json jobs = json::parse(sweep.readAllStandardOutput().toStdString()).at("jobs");
            QCOMPARE(jobs.at(0).at("state").get<std::string>(), std::string("busy"));
            while (!engine.canReadLine()) {
                QVERIFY(engine.waitForReadyRead(60000));
            }
        }
        const json reply = json::parse(engine.readLine().toStdString());
        QVERIFY2(reply.contains("error"), reply.dump().c_str());
        QVERIFY2(reply["error"]["message"].get<std::string>().find("working on this run") !=
                     std::string::npos,
                 reply.dump().c_str());
        int begun = 0;
        for (const auto& entry : fs::directory_iterator(runs)) {
            begun += fs::exists(entry.path() / "run.json") ? 1 : 0;
        }
        QCOMPARE(begun, 1);
        // Left behind, the engine goes on with it, under its own name.
        engine.write(QByteArray::fromStdString(request.dump()) + "\n");
        while (!engine.canReadLine()) {
            QVERIFY(engine.waitForReadyRead(60000));
        }
        const json again = json::parse(engine.readLine().toStdString());
        QVERIFY2(again.contains("result"), again.dump().c_str());
        QCOMPARE(again["result"]["directory"].get<std::string>(), (runs / "other").string());
        engine.closeWriteChannel();
        QVERIFY(engine.waitForFinished(60000));
    }

    void runsAtWorkAreNotDeleted() {
        const QString runs = useRuns("busy");
        QCOMPARE(run(compress({"--layers", "blk.0.attn_k", "--no-model"})).exitCode, 0);
        const std::string id = listed()[0]["id"];
        const QString word = QString::fromStdString(id);
        {
            const auto lock = cospadi::RunLock::tryTake(fs::path(runs.toStdString()) / id);
            QVERIFY(lock.has_value());
            for (const QStringList& more : {QStringList{}, QStringList{"--files"}}) {
                const CliOutcome refused = run(QStringList{"runs", "delete", word} + more);
                QCOMPARE(refused.exitCode, 1);
                QVERIFY2(refused.error.contains("the run " + word + " is being written"),
                         qPrintable(refused.error));
            }
        }
        // Files are deleted by the whole id, or with a yes.
        const CliOutcome vague = run({"runs", "delete", word.left(4), "--files"});
        QCOMPARE(vague.exitCode, 1);
        QVERIFY2(vague.error.contains("give the whole id, " + word), qPrintable(vague.error));
        QVERIFY(fs::exists(fs::path(runs.toStdString()) / id / "run.json"));
        QCOMPARE(run({"runs", "delete", word.left(4), "--files", "--yes"}).exitCode, 0);
        QVERIFY(!fs::exists(fs::path(runs.toStdString()) / id));
    }

    // A run that was moved to another disk, with a link in its place.
    void filesBehindALinkAreDeleted() {
        const fs::path runs = useRuns("linked").toStdString();
        const fs::path elsewhere = place("elsewhere/moved").toStdString();
        fs::create_directories(elsewhere.parent_path());
        QCOMPARE(run(compress({"--layers", "blk.0.attn_k", "--no-model"})).exitCode, 0);
        const std::string id = listed()[0]["id"];
        fs::rename(runs / id, elsewhere);
        fs::create_directory_symlink(elsewhere, runs / id);
        const CliOutcome deleted = run({"runs", "delete", QString::fromStdString(id), "--files"});
        QVERIFY2(deleted.exitCode == 0, qPrintable(deleted.error));
        QVERIFY(!fs::exists(elsewhere));
        QVERIFY(!fs::is_symlink(runs / id));
        QVERIFY(fs::exists(elsewhere.parent_path()));
        QVERIFY(listed().empty());
    }

    // ---- archives

    void archivesWithRunsThatAreThere() {
        useRuns("source");
        for (const char* layer : {"blk.0.attn_k", "blk.0.attn_q"}) {
            QCOMPARE(run(compress({"--layers", layer, "--no-model"})).exitCode, 0);
        }
        const json both = listed();
        const QString one = QString::fromStdString(both[0]["id"]);
        const QString two = QString::fromStdString(both[1]["id"]);
        const QString first = place("one.tar");
        const QString all = place("both.tar");
        QCOMPARE(run({"runs", "export", one, "--out", first}).exitCode, 0);
        QCOMPARE(run({"runs", "export", one, two, "--out", all}).exitCode, 0);
        const QString target = useRuns("target");
        QCOMPARE(run({"runs", "import", first}).exitCode, 0);
        // What a killed import left, as process 1 of another container would name it.
        QDir().mkpath(target + "/.import.tmp.left/x");
        const CliOutcome rest = run({"runs", "import", all, "--json"});
        QCOMPARE(rest.exitCode, 0);
        QCOMPARE(rest.object()["runs"], json({two.toStdString()}));
        QVERIFY2(rest.error.contains(one) && rest.error.contains("there is already a run"),
                 qPrintable(rest.error));
        QCOMPARE(static_cast<int>(listed().size()), 2);
        QCOMPARE(QDir(target).entryList({".import*"}, QDir::Dirs | QDir::Hidden).size(), 0);
        const CliOutcome none = run({"runs", "import", all});
        QCOMPARE(none.exitCode, 1);
        QVERIFY(none.error.contains("there is already a run"));
    }

    // ---- what killed writers leave

    // A file in model/ makes no model: the index decides, which comes last.
    void aModelFolderIsWholeOrNone() {
        const QString runs = useRuns("model-folder");
        const QString out = runs + "/r";
        const QStringList again = compress({"--layers", "blk.0", "--out", out, "--model"});
        QCOMPARE(run(compress({"--layers", "blk.0", "--out", out})).exitCode, 0);
        write(out + "/model/blk.0.attn_k.safetensors", "x");
        write(out + "/model/config.json", "{}");
        const CliOutcome made = run(again);
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QVERIFY(made.object()["model_bytes"].get<std::int64_t>() > 0);
        const QString index = out + "/model/model.safetensors.index.json";
        QVERIFY(QFileInfo::exists(index));
        const auto perplexity = [&](const QString& model) {
            return run({"evaluate", model, "--perplexity", text(), "--context", "16", "--json"});
        };
        const CliOutcome whole = perplexity(out + "/model");
        QVERIFY2(whole.exitCode == 0, qPrintable(whole.error));
        const double expected = perplexity(out).object()["perplexity"].get<double>();
        QCOMPARE(whole.object()["perplexity"].get<double>(), expected);
        QFile::remove(index);
        const CliOutcome part = perplexity(out + "/model");
        QCOMPARE(part.exitCode, 1);
        QVERIFY2(part.error.contains("the model is incomplete"), qPrintable(part.error));
        QCOMPARE(run(again).exitCode, 0);
        QCOMPARE(perplexity(out + "/model").object()["perplexity"].get<double>(), expected);
    }

    void leftoversAreSweptUp() {
        const QString runs = useRuns("leftovers");
        const QString out = runs + "/r";
        QCOMPARE(run(compress({"--layers", "blk.0", "--out", out, "--no-model"})).exitCode, 0);
        const QStringList left{"result.json.tmp.abc", "model/model.safetensors.tmp.1.0",
                               "evaluations/p.json.tmp.abc", "matrices/x.safetensors.tmp.2.3"};
        for (const QString& name : left) {
            write(out + "/" + name, "half");
        }
        QFile::remove(out + "/result.json");
        cospadi::AtomicFile held((out + "/evaluations/held.json").toStdString());
        QCOMPARE(run(compress({"--layers", "blk.0", "--out", out, "--no-model"})).exitCode, 0);
        for (const QString& name : left) {
            QVERIFY2(!QFileInfo::exists(out + "/" + name), qPrintable(name));
        }
        held.commit();  // another process' file stays
        QVERIFY(QFileInfo::exists(out + "/evaluations/held.json"));
    }
};

COSPADI_TEST(TestStoredRuns)

}  // namespace tst_stored_runs

#include "tst_stored_runs.moc"
