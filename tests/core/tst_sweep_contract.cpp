// A sweep as a file: the same jobs have the same ids, whoever writes it and whenever; what was
// written is not changed; and whatever else is given as such a file is refused by name.
#include <QtTest>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/program_revision.h"
#include "core/cluster/job_result.h"
#include "core/cluster/sweep_contract.h"
#include "core/run/resolve_specification.h"
#include "tests/core/oracle_data.h"
#include "tests/core/own_folder.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_sweep_contract {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

class TestSweepContract : public QObject, OwnFolder {
    Q_OBJECT

    static RunSpecification specification(const char* method, double cr) {
        RunSpecification s = small_runs::specification(method);
        s.cr = cr;
        return resolved(s);
    }

    SweepContract contract(const std::string& name) const {
        SweepContract made = contractOf(place(name + "/sweep.json"),
                                        {specification("svd", 0.2), specification("svd", 0.3),
                                         specification("cospadi-free", 0.2)});
        made.name = "tiny";
        made.tags = {"a", "b"};
        return made;
    }

    json written(const std::string& name) const {
        const SweepContract made = contract(name);
        writeContract(made);
        std::ifstream file(made.file);
        return json::parse(file);
    }

    fs::path put(const std::string& text) const {
        fs::create_directories(place("forged"));
        const fs::path file = place("forged/sweep.json");
        std::ofstream(file) << text;
        return file;
    }

  private slots:
    void readsWhatItWrote() {
        SweepContract made = contract("read");
        made.evaluation = ContractedEvaluation{"/a/text", std::string(64, 'f'), {}, {}, {}};
        made.evaluation->options.context = 77;
        made.evaluation->options.score = ScoredTokens::SecondHalf;
        TaskPlan& tasks = made.evaluation->tasks;
        tasks.tasks = {"piqa", "mmlu"};
        tasks.by = TasksBy::LmEval;
        tasks.limit = 0.25;
        tasks.shots = 5;
        tasks.data = "/a/folder";
        tasks.maxLength = 512;
        made.evaluation->taskData = {{"piqa", std::string(64, 'e')}};
        made.execution = {"cuda:1", true, true, 45.5};
        writeContract(made);
        const SweepContract read = readContract(made.file);
        QCOMPARE(read.file, made.file);
        QCOMPARE(read.name, made.name);
        QVERIFY(read.tags == made.tags);
        QCOMPARE(read.revision, programRevision());
        QVERIFY(read.evaluation && read.evaluation->text == "/a/text");
        QCOMPARE(read.evaluation->options.context, std::int64_t{77});
        QVERIFY(read.evaluation->options.score == ScoredTokens::SecondHalf);
        QCOMPARE(toJson(read.evaluation->tasks).dump(), toJson(made.evaluation->tasks).dump());
        QVERIFY(read.evaluation->tasks.by == TasksBy::LmEval);
        QCOMPARE(read.evaluation->tasks.tasks, (std::vector<std::string>{"piqa", "mmlu"}));
        QCOMPARE(read.evaluation->tasks.limit, 0.25);
        QVERIFY(read.evaluation->tasks.shots == 5);
        QVERIFY(read.evaluation->taskData == made.evaluation->taskData);
        QCOMPARE(read.execution.device, std::string("cuda:1"));
        QVERIFY(read.execution.tf32 && read.execution.models);
        QCOMPARE(read.execution.leaseSeconds, 45.5);
        QCOMPARE(read.jobs.size(), std::size_t{3});
        for (std::size_t job = 0; job < 3; ++job) {
            QCOMPARE(read.jobs[job].id, made.jobs[job].id);
            QCOMPARE(toJson(jobSpecification(read, job)).dump(),
                     made.jobs[job].specification.dump());
        }
    }

    // Settings that count make an id, and the program's revision; where files lie does not, nor do
    // settings that the method does not look at.
    void idsAreOfWhatCounts() {
        const RunSpecification one = specification("svd", 0.2);
        const std::string id = contractedJobId(one, "r1");
        QCOMPARE(id.size(), std::size_t{16});
        QCOMPARE(contractedJobId(specification("svd", 0.2), "r1"), id);
        QVERIFY(contractedJobId(one, "r2") != id);
        QVERIFY(contractedJobId(specification("svd", 0.3), "r1") != id);
        QVERIFY(contractedJobId(specification("cospadi-free", 0.2), "r1") != id);
        RunSpecification idle = one;
        idle.rho = 3;  // an SVD has none
        QCOMPARE(contractedJobId(idle, "r1"), id);
        RunSpecification moved = one;
        moved.model = "/elsewhere";
        QCOMPARE(contractedJobId(moved, "r1"), id);
        moved.modelSha256[0] = moved.modelSha256[0] == '0' ? '1' : '0';
        QVERIFY(contractedJobId(moved, "r1") != id);
    }

    // Sweeps in one folder share runs, and so results; an answer to another question is none.
    void resultsTellWhatTheyMeasured() {
        SweepContract made = contract("measured");
        made.evaluation = ContractedEvaluation{"/a/text", std::string(64, 'f'), {}};
        fs::create_directories(made.stateOf(0));
        writeJobResult(made, 0, {}, 12.5);
        SweepContract other = made;
        other.evaluation->text = "/elsewhere/text";
        QVERIFY(jobResult(other, 0) && jobResult(other, 0)->perplexity == 12.5);
        other.evaluation->options.context += 1;
        QVERIFY(!jobResult(other, 0));
        other = made;
        other.evaluation->options.maxTokens = 99;
        QVERIFY(!jobResult(other, 0));
        other = made;
        other.evaluation->options.score = ScoredTokens::SecondHalf;
        QVERIFY(!jobResult(other, 0));
        other = made;
        other.evaluation->textSha256 = std::string(64, 'e');
        QVERIFY(!jobResult(other, 0));
        other.evaluation.reset();
        QVERIFY(jobResult(other, 0));
        // Of a model whose perplexity is not finite, for which JSON has null.
        writeJobResult(made, 0, {}, std::numeric_limits<double>::infinity());
        QVERIFY(jobResult(made, 0) && std::isnan(*jobResult(made, 0)->perplexity));
        // Nor is a run without the model folder that another sweep wants.
        other = made;
        other.execution.models = true;
        QVERIFY(!jobResult(other, 0));
        writeJobResult(other, 0, {}, 12.5);
        QVERIFY(jobResult(other, 0) && jobResult(made, 0));
        // Written before results told it.
        const fs::path file = made.stateOf(0) / "result.json";
        json older = json::parse(oracle::text(file));
        older.erase("perplexity_of");
        std::ofstream(file) << older.dump();
        QVERIFY(jobResult(made, 0));
    }

    // One that measures something else keeps the answers of the others.
    void sweepsKeepEachOthersAnswers() {
        const SweepContract bare = contract("shared");
        SweepContract made = bare;
        made.evaluation = ContractedEvaluation{"/a/text", std::string(64, 'f'), {}};
        SweepContract other = made;
        other.evaluation->options.context += 1;
        SweepContract tasks = bare;
        tasks.evaluation.emplace();
        tasks.evaluation->tasks.tasks = {"piqa", "mmlu"};
        SweepContract both = made;
        both.evaluation->tasks = tasks.evaluation->tasks;
        fs::create_directories(bare.stateOf(0));
        const auto perplexityOf = [](const SweepContract& sweep) {
            const auto result = jobResult(sweep, 0);
            return result ? result->perplexity : std::optional<double>(-1);
        };
        writeJobResult(made, 0, {}, 12.5);
        QVERIFY(!jobResult(both, 0));
        for (int round = 0; round < 2; ++round) {
            writeJobResult(other, 0, {}, 13.5);
            writeJobResult(tasks, 0, {}, std::nullopt);
            writeJobResult(bare, 0, {}, std::nullopt);
            QCOMPARE(perplexityOf(made), std::optional(12.5 + round));
            QCOMPARE(perplexityOf(other), std::optional(13.5));
            QVERIFY(jobResult(tasks, 0) && jobResult(bare, 0));
            QCOMPARE(perplexityOf(both), std::optional(12.5 + round));
            writeJobResult(made, 0, {}, 13.5);  // in the place of its own
        }
        const fs::path file = bare.stateOf(0) / "result.json";
        json result = json::parse(oracle::text(file));
        QCOMPARE(result.at("others").size(), std::size_t{2});
        // What is no list of answers is none, and is not kept.
        result["others"] = json::array({7});
        std::ofstream(file) << result.dump();
        QVERIFY(!jobResult(other, 0));
        writeJobResult(other, 0, {}, 13.5);
        QCOMPARE(perplexityOf(other), std::optional(13.5));
    }

    void isNeverChanged() {
        const SweepContract made = contract("fixed");
        writeContract(made);
        const std::string before = oracle::text(made.file);
        writeContract(made);
        SweepContract other = made;
        other.jobs.pop_back();
        const QString problem = oracle::errorOf([&] { writeContract(other); });
        QVERIFY2(problem.contains("contains another sweep"), qPrintable(problem));
        other = made;
        other.revision += "x";
        const QString version = oracle::errorOf([&] { writeContract(other); });
        QVERIFY2(version.contains("another version of the program"), qPrintable(version));
        QCOMPARE(oracle::text(made.file), before);
        QCOMPARE(fs::status(made.file).permissions() & fs::perms::owner_write, fs::perms::none);
    }

    void versionsAreToldApart() {
        SweepContract other = contract("version");
        requireOwnRevision(other);
        other.revision = "0123456789ab";
        const QString problem = oracle::errorOf([&] { requireOwnRevision(other); });
        QVERIFY2(problem.contains("0123456789ab"), qPrintable(problem));
    }

    void forgedFiles_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* pointer, const QByteArray& value,
                            const char* says) {
            QTest::newRow(name) << QString(pointer) << value << QString(says);
        };
        row("another format", "/format", "2", "format is 2, not");
        row("no format", "/format", "null", "format is 0, not");
        row("a number as name", "/name", "5", "name has the wrong type");
        row("a field more", "/more", "1", "more is not a field of a sweep file");
        row("jobs no list", "/jobs", "{}", "jobs is not a list of jobs");
        row("no jobs", "/jobs", "[]", "jobs is not a list of jobs");
        row("a job no object", "/jobs/1", "7", "jobs[1]");
        row("an id that leaves the folder", "/jobs/1/id", R"("../../../../x")",
            "jobs[1].id \"../../../../x\" is not the id");
        row("an id of other letters", "/jobs/0/id", R"("0123456789ABCDEF")", "is not the id");
        row("an empty id", "/jobs/0/id", R"("")", "is not the id");
        row("no specification", "/jobs/2/specification", "null",
            "jobs[2].specification is not a specification");
        row("a job's field more", "/jobs/0/command", R"("rm")",
            "jobs[0].command is not a field of a sweep file");
        row("no lease", "/execution/lease_seconds", "0", "execution.lease_seconds");
        row("a lease for ever", "/execution/lease_seconds", "1e300", "execution.lease_seconds");
        row("a device of another type", "/execution/device", "{}", "execution.device");
        row("a way to score", "/evaluate", R"({"score": "none"})", "'none' is not a way to score");
        row("a context of nothing", "/evaluate", R"({"context": 0})", "context");
    }

    void forgedFiles() {
        QFETCH(QString, pointer);
        QFETCH(QByteArray, value);
        QFETCH(QString, says);
        json file = written(std::string("forged-") + QTest::currentDataTag());
        file[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
        const fs::path path = put(file.dump());
        const QString problem = oracle::errorOf([&] { readContract(path); });
        QVERIFY2(problem.contains(says), qPrintable(problem));
        QVERIFY2(problem.startsWith(QString::fromStdString(path.string())), qPrintable(problem));
    }

    void twiceTheSameId() {
        json file = written("twice");
        file["jobs"][2]["id"] = file["jobs"][0]["id"];
        const QString problem = oracle::errorOf([&] { readContract(put(file.dump())); });
        QVERIFY2(problem.contains("jobs[2].id is an id that occurs twice"), qPrintable(problem));
    }

    // The id is checked against what it was made of, where the job is begun.
    void forgedSpecifications() {
        json file = written("specification");
        const auto problemOf = [&](const json& forged) {
            const SweepContract read = readContract(put(forged.dump()));
            return oracle::errorOf([&] { jobSpecification(read, 1); });
        };
        QCOMPARE(problemOf(file), QString());
        json other = file;
        other["jobs"][1]["specification"]["cr"] = 0.9;
        QVERIFY2(problemOf(other).contains("does not match the job's id"),
                 qPrintable(problemOf(other)));
        other = file;
        other["jobs"][1]["specification"]["cr"] = 7;
        QVERIFY2(problemOf(other).contains("out of range"), qPrintable(problemOf(other)));
        other = file;
        other["jobs"][1]["specification"]["method"] = "magic";
        QVERIFY2(problemOf(other).contains("magic"), qPrintable(problemOf(other)));
        other = file;
        other["jobs"][1]["specification"]["colour"] = "red";
        QVERIFY2(problemOf(other).contains("colour"), qPrintable(problemOf(other)));
    }

    void cutShort() {
        written("cut");
        const std::string text = oracle::text(place("cut/sweep.json"));
        for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
            const fs::path path = put(text.substr(0, length));
            QVERIFY2(!oracle::errorOf([&] { readContract(path); }).isEmpty(),
                     qPrintable(QString::number(length)));
        }
        QVERIFY(!oracle::errorOf([&] { readContract(put(std::string(1000, '['))); }).isEmpty());
        QVERIFY(!oracle::errorOf([&] { readContract(place("nowhere.json")); }).isEmpty());
    }
};

COSPADI_TEST(TestSweepContract)

}  // namespace tst_sweep_contract

#include "tst_sweep_contract.moc"
