// Runs that are gone on with: after a stop, with files that were damaged meanwhile, with other
// settings, by another revision of the program, or while another process writes them.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/program_revision.h"
#include "core/base/sha256.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/run/compression_run.h"
#include "core/run/earlier_runs.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_summary.h"
#include "core/run/run_writer.h"
#include "oracle_data.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/registered_test.h"

namespace tst_run_resume {

using namespace cospadi;
using small_runs::kModel;
using small_runs::logitsOf;
using small_runs::specification;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> hashes(const fs::path& folder) {
    std::map<std::string, std::string> result;
    for (const auto& entry : fs::directory_iterator(folder)) {
        // Seconds differ from run to run and stand in the metadata: compare what is computed.
        const StoredMatrix stored = readMatrixFile(entry.path());
        std::string content;
        const auto append = [&content](const Eigen::MatrixXf& a) {
            content.append(reinterpret_cast<const char*>(a.data()),
                           static_cast<std::size_t>(a.size()) * 4);
        };
        const auto product = stored.weight->product();
        append(product->left);
        append(product->right);
        result[entry.path().filename().string()] = sha256OfString(content);
    }
    return result;
}

}  // namespace

class TestRunResume : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        QVERIFY2(fs::exists(kModel / "config.json"),
                 "tests/data/oracle/arch/a_llama_gqa is missing");
    }

    void damagedMatricesAreMadeAgain() {
        const fs::path directory = place("mended");
        RunSpecification s = specification();
        s.layers = "attn_";
        executeRun(s, directory, {});
        QVERIFY(!fs::exists(directory / "model"));  // of some layers: only where it is asked for
        const auto whole = hashes(directory / "matrices");
        const fs::path matrix = directory / "matrices" / "blk.0.attn_q.safetensors";
        fs::resize_file(matrix, fs::file_size(matrix) / 2);
        try {
            static_cast<void>(loadModelOrRun(directory.string()));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.hint()).contains("--out"));
        }
        int made = 0;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            made += event.at("event") == "matrix_finished" ? 1 : 0;
        };
        QCOMPARE(executeRun(s, directory, execution).termination, Termination::Converged);
        QCOMPARE(made, 1);
        QCOMPARE(hashes(directory / "matrices"), whole);
        execution.partialModel = true;
        QVERIFY(executeRun(s, directory, execution).modelBytes > 0);
        QCOMPARE(made, 1);
        fs::resize_file(matrix, fs::file_size(matrix) / 2);  // the folder's too: a hard link
        execution.writeModel = false;
        executeRun(s, directory, execution);
        const auto modelIsOfTheRun = [&] {
            QCOMPARE(logitsOf(loadModelOrRun(directory.string())),
                     logitsOf(loadModelOrRun((directory / "model").string())));
        };
        modelIsOfTheRun();
        // Also where the first start that mends it does not come to its end.
        fs::resize_file(matrix, fs::file_size(matrix) / 2);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(executeRun(s, directory, execution, stop.get_token()).termination,
                 Termination::Cancelled);
        QVERIFY(!wholeRun(directory));
        executeRun(s, directory, execution);
        modelIsOfTheRun();
    }

    // Each by its name where they are few, else how many.
    void whatIsMadeAgainIsTold() {
        const fs::path directory = place("told");
        RunSpecification s = specification("svd");
        s.layers = "attn_";
        std::vector<std::string> told;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "warning") {
                told.push_back(event.at("matrix").get<std::string>() + "|" +
                               event.at("message").get<std::string>());
            }
        };
        executeRun(s, directory, execution);
        told.clear();
        for (const char* lost : {"blk.0.attn_q", "blk.1.attn_k"}) {
            fs::remove(directory / "matrices" / (std::string(lost) + ".safetensors"));
        }
        executeRun(s, directory, execution);
        const std::string each = "|its file is missing or damaged; it is made again";
        QCOMPARE(told, (std::vector<std::string>{"blk.0.attn_q" + each, "blk.1.attn_k" + each}));
        told.clear();
        fs::remove_all(directory / "matrices");
        executeRun(s, directory, execution);
        QCOMPARE(static_cast<int>(told.size()), 1);
        QVERIFY2(told[0].starts_with("|the run has a result but no matrices"), told[0].c_str());
    }

    // What is known of a run stays known until there is what replaces it.
    void aRecordStandsUntilItIsReplaced() {
        const fs::path directory = place("record");
        RunSpecification s = specification("svd");
        s.layers = "attn_";
        executeRun(s, directory, {});
        const std::string record = oracle::text(directory / "result.json");
        fs::remove_all(directory / "matrices");
        std::stop_source stop;
        RunExecution execution;
        execution.threads = 1;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "matrix_finished") {
                stop.request_stop();
            }
        };
        QCOMPARE(executeRun(s, directory, execution, stop.get_token()).termination,
                 Termination::Cancelled);
        QCOMPARE(oracle::text(directory / "result.json"), record);
        QVERIFY(!wholeRun(directory));
        QVERIFY(!solvedRun(directory, [] { return true; }));  // it has matrices, and not all
        executeRun(s, directory, {});
        QVERIFY(wholeRun(directory));
    }

    void damagedRecordsNameFileAndField_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("field");
        QTest::newRow("result") << "result.json"
                                << "{\"bytes\":\"x\"}"
                                << "matrices";
        QTest::newRow("matrix") << "result.json"
                                << "{\"matrices\":[{\"name\":5}]}"
                                << "name";
        QTest::newRow("run") << "run.json"
                             << "{\"id\":\"a\"}"
                             << "specification";
    }

    void damagedRecordsNameFileAndField() {
        QFETCH(QString, file);
        QFETCH(QString, text);
        QFETCH(QString, field);
        const fs::path directory = place("records");
        fs::remove_all(directory);
        RunSpecification s = specification("svd");
        s.layers = "attn_q";
        executeRun(s, directory, {});
        std::ofstream(directory / file.toStdString()) << text.toStdString();
        try {
            static_cast<void>(loadModelOrRun(directory.string()));
            QFAIL("was accepted");
        } catch (const Error& error) {
            const QString message = QString::fromStdString(error.what());
            QVERIFY2(message.contains(file) && message.contains(field), error.what());
        }
        if (file == "result.json") {  // the same command mends it
            QVERIFY(executeRun(s, directory, {}).bytes > 0);
        }
    }

    void goesOnWhereItStopped() {
        const fs::path whole = place("whole");
        executeRun(specification(), whole, {});
        const fs::path stopped = place("stopped");
        std::stop_source stop;
        RunExecution execution;
        execution.threads = 1;
        int finished = 0;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "matrix_finished" && ++finished == 4) {
                stop.request_stop();
            }
        };
        QCOMPARE(executeRun(specification(), stopped, execution, stop.get_token()).termination,
                 Termination::Cancelled);
        QVERIFY(!fs::exists(stopped / "result.json"));
        QCOMPARE(static_cast<int>(hashes(stopped / "matrices").size()), 4);

        // One of the finished matrices is damaged meanwhile: it is made again.
        fs::resize_file(stopped / "matrices" / "blk.0.attn_k.safetensors", 100);
        finished = 0;
        execution.onEvent = [&](const nlohmann::json& event) {
            finished += event.at("event") == "matrix_finished" ? 1 : 0;
        };
        QCOMPARE(executeRun(specification(), stopped, execution).termination,
                 Termination::Converged);
        QCOMPARE(finished, 11);
        QCOMPARE(hashes(stopped / "matrices"), hashes(whole / "matrices"));

        // A finished run is left alone.
        finished = 0;
        QCOMPARE(executeRun(specification(), stopped, execution).matrices, 14);
        QCOMPARE(finished, 0);
    }

    void refusesOtherSettings() {
        const fs::path directory = place("settings");
        RunSpecification s = specification("svd");
        s.layers = "attn_k";
        executeRun(s, directory, {});
        s.cr = 0.3;
        try {
            executeRun(s, directory, {});
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.what()).contains("cr was 0.2 and is now 0.3"));
        }
    }

    // Model and text count by what they hold: a run goes on with those that were named last.
    void goesOnWhereFilesHaveMoved() {
        RunSpecification s = specification("svd-llm");
        s.layers = "attn_k";
        s.calibration = small_runs::onText(4, 32);
        const auto moved = [&](const char* name) {
            const fs::path folder = place(name);
            fs::copy(kModel, folder / "model");
            fs::copy_file(s.calibration.text, folder / "text.txt");
            RunSpecification there = s;
            there.model = (folder / "model").string();
            there.calibration.text = (folder / "text.txt").string();
            return there;
        };
        fs::create_directories(place("before"));
        fs::create_directories(place("after"));
        const RunSpecification before = moved("before");
        const fs::path directory = place("moving") / "run";
        static_cast<void>(RunWriter(directory, resolved(before)));
        fs::remove_all(place("before"));
        const RunSpecification after = resolved(moved("after"));
        const auto earlier = unfinishedRun(after, place("moving"));
        QVERIFY(earlier);
        const RunSpecification taken = goingOn(earlier->run, after);
        QCOMPARE(taken.model, after.model);
        QCOMPARE(RunWriter(directory, taken).directory(), directory);
        RunSpecification other = after;
        other.calibration.textSha256[0] = other.calibration.textSha256[0] == '0' ? '1' : '0';
        QVERIFY_THROWS_EXCEPTION(Error, RunWriter(directory, other));
    }

    void textsAreStoredByAbsolutePath() {
        RunSpecification s = specification("svd-llm");
        s.calibration = small_runs::onText(4, 32);
        const std::string text = s.calibration.text;
        s.calibration.text = fs::relative(text).string();
        QVERIFY(fs::path(s.calibration.text).is_relative());
        QCOMPARE(resolved(s).calibration.text, fs::weakly_canonical(text).string());
    }

    void aTrailingSlashIsNoName() {
        const RunSpecification s = resolved(specification("svd"));
        const RunWriter writer(place("slash") / "", s);
        QCOMPARE(writer.directory(), place("slash"));
    }

    // Another revision of the program may compute other bits: the run says so, once.
    void otherRevisionsAreTold() {
        if (programRevision().empty()) {
            QSKIP("built from sources whose revision is not known");
        }
        const fs::path directory = place("revisions");
        RunSpecification s = specification("svd");
        s.layers = "blk.0.attn_[qk]$";
        std::vector<std::string> warnings;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            if (event.at("event") == "warning") {
                warnings.push_back(event.at("message").get<std::string>());
            }
        };
        executeRun(s, directory, execution);
        const fs::path kept = directory / "matrices" / "blk.0.attn_q.safetensors";
        QCOMPARE(readMatrixFile(kept).record.revision, programRevision());
        const auto goOn = [&] {
            fs::remove(directory / "result.json");
            fs::remove(directory / "matrices" / "blk.0.attn_k.safetensors");
            executeRun(s, directory, execution);
        };
        goOn();
        QCOMPARE(warnings.size(), 0u);
        std::ifstream stream(kept, std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(stream)), {});
        stream.close();
        const std::string other(programRevision().size(), '0');
        bytes.replace(bytes.find(programRevision()), other.size(), other);
        fs::remove(kept);  // a new file: the model folder's shares the old one
        std::ofstream(kept, std::ios::binary) << bytes;
        goOn();
        QCOMPARE(warnings.size(), 1u);
        QVERIFY2(
            warnings[0].find("1 of 2 matrices were made by revision " + other) != std::string::npos,
            warnings[0].c_str());
    }

    void refusesASecondWriter() {
        const RunSpecification s = resolved(specification("svd"));
        const RunWriter first(place("locked"), s);
        QVERIFY_THROWS_EXCEPTION(Error, RunWriter(place("locked"), s));
    }
};

COSPADI_TEST(TestRunResume)

}  // namespace tst_run_resume

#include "tst_run_resume.moc"
