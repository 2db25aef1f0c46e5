// A sweep file for Snakemake, Kubernetes and SkyPilot: what each of them reads of it itself where a
// Python with it is named by COSPADI_TEST_SCHEDULERS_PYTHON (tests/python/check_workflow_file.py),
// and what stands in it as YAML where not.
#include <yaml-cpp/yaml.h>

#include <QProcess>
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/calibration_phase.h"
#include "core/run/resolve_specification.h"
#include "core/schedulers/shared_calibrations.h"
#include "core/schedulers/slurm_units.h"
#include "core/schedulers/workflow_file.h"
#include "tests/core/oracle_data.h"
#include "tests/core/own_folder.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_workflow_file {

using namespace cospadi;

namespace {

const std::filesystem::path kProgram = "/opt/co spadi/bin/cospadi";

// Seven jobs; 0, 2, 4, 6 share a calibration, 1 and 5 another, 3 needs none.
SweepContract contractAt(const std::filesystem::path& folder, bool measured) {
    std::vector<RunSpecification> specifications;
    const RunSpecification whitened = resolved(small_runs::specification("svd-llm"));
    for (int i = 0; i < 7; ++i) {
        RunSpecification s = i == 3 ? resolved(small_runs::specification("svd")) : whitened;
        s.cr = 0.1 + 0.01 * i;
        s.calibration.seed = static_cast<std::uint64_t>(i % 2);
        specifications.push_back(s);
    }
    SweepContract contract = contractOf(folder / "sweep.json", specifications);
    if (measured) {
        contract.evaluation = ContractedEvaluation{"/shared/text", std::string(64, '0'), {}};
    }
    return contract;
}

SlurmOptions everything() {
    SlurmOptions options;
    options.mem = "16G";
    options.gpus = "a100:2";
    options.cpus = 4;
    options.arrayLimit = 3;
    options.bundle = 2;
    return options;
}

YAML::Node yamlOf(const WorkflowFile& workflow) { return YAML::Load(workflow.text); }

}  // namespace

class TestWorkflowFile : public QObject, OwnFolder {
    Q_OBJECT

    // What the engine's own reader says: {"read": …} or {"skipped": why}.
    nlohmann::json readBy(const std::string& engine, const WorkflowFile& workflow) const {
        const QString python = qEnvironmentVariable("COSPADI_TEST_SCHEDULERS_PYTHON");
        if (python.isEmpty()) {
            return {{"skipped", "COSPADI_TEST_SCHEDULERS_PYTHON names no Python"}};
        }
        std::filesystem::create_directories(workflow.file.parent_path());
        std::ofstream(workflow.file) << workflow.text;
        QProcess process;
        process.start(python, {COSPADI_SOURCE_DIR "/tests/python/check_workflow_file.py",
                               QString::fromStdString(engine),
                               QString::fromStdString(workflow.file.string())});
        process.waitForFinished(250000);
        const QByteArray out = process.readAllStandardOutput();
        const QByteArray last = out.trimmed().split('\n').last();
        const auto told = nlohmann::json::parse(last.toStdString(), nullptr, false);
        return told.is_object()
                   ? told
                   : nlohmann::json{
                         {"failed",
                          (out + process.readAllStandardError()).right(3000).toStdString()}};
    }

  private slots:
    void timesAndMemoryAsSlurmReadsThem() {
        // The forms that sbatch's manual lists.
        QCOMPARE(slurmMinutes("90"), std::int64_t{90});
        QCOMPARE(slurmMinutes("90:30"), std::int64_t{91});
        QCOMPARE(slurmMinutes("4:00:00"), std::int64_t{240});
        QCOMPARE(slurmMinutes("0:00:01"), std::int64_t{1});
        QCOMPARE(slurmMinutes("2-12"), std::int64_t{3600});
        QCOMPARE(slurmMinutes("1-00:05"), std::int64_t{1445});
        QCOMPARE(slurmMinutes("1-00:05:01"), std::int64_t{1446});
        QCOMPARE(slurmMinutes(""), std::int64_t{0});
        QCOMPARE(slurmMebibytes("512"), std::int64_t{512});
        QCOMPARE(slurmMebibytes("512M"), std::int64_t{512});
        QCOMPARE(slurmMebibytes("1025K"), std::int64_t{2});
        QCOMPARE(slurmMebibytes("16G"), std::int64_t{16384});
        QCOMPARE(slurmMebibytes("2T"), std::int64_t{2097152});
    }

    // Of rows of blocks there are no Grams: no job of theirs waits for a calibration.
    void blocksNeedNoCalibration() {
        QVERIFY(needsGrams(small_runs::specification("svd-llm")));
        QVERIFY(!needsGrams(small_runs::specification("replaceme")));
    }

    // Held-out sequences are summed apart: another share of them is another calibration.
    void anotherSplitIsAnotherCalibration() {
        RunSpecification s = resolved(small_runs::specification("svd-llm"));
        std::vector<RunSpecification> specifications;
        for (const double share : {0.0, 0.25, 0.0, 0.25}) {
            s.heldOut = share;
            s.cr += 0.01;
            specifications.push_back(s);
        }
        const SweepContract contract = contractOf(place("split") / "sweep.json", specifications);
        const std::vector<std::optional<std::size_t>> by{std::size_t{0}, std::size_t{1},
                                                         std::size_t{0}, std::size_t{1}};
        QVERIFY(calibratingJobs(contract, {0, 1, 2, 3}) == by);
    }

    // To Slurm no minutes are no limit; Kubernetes takes no such number.
    void noMinutesAreNoLimit() {
        SlurmOptions options;
        options.time = "0";
        const WorkflowFile workflow =
            workflowFile("kubernetes", contractAt(place("shared"), false), options, kProgram);
        QVERIFY(!yamlOf(workflow)["spec"]["template"]["spec"]["activeDeadlineSeconds"]);
    }

    void kubernetesHasEveryJobOnce() {
        const SweepContract contract = contractAt(place("it's 5% {k}"), true);
        SlurmOptions options = everything();
        options.time = "1:00:00";
        const WorkflowFile workflow = workflowFile("kubernetes", contract, options, kProgram);
        const YAML::Node job = yamlOf(workflow);
        QCOMPARE(job["apiVersion"].as<std::string>(), std::string("batch/v1"));
        QCOMPARE(job["kind"].as<std::string>(), std::string("Job"));
        const YAML::Node spec = job["spec"];
        QCOMPARE(spec["completionMode"].as<std::string>(), std::string("Indexed"));
        QCOMPARE(spec["completions"].as<int>(), 4);  // 2 + 2 + 2 + 1 jobs
        QCOMPARE(spec["parallelism"].as<int>(), 3);
        const YAML::Node rule = spec["podFailurePolicy"]["rules"][0];
        QCOMPARE(rule["action"].as<std::string>(), std::string("FailIndex"));
        QCOMPARE(rule["onExitCodes"]["values"][0].as<int>(), 42);
        const YAML::Node pod = spec["template"]["spec"];
        QCOMPARE(pod["restartPolicy"].as<std::string>(), std::string("Never"));
        QCOMPARE(pod["activeDeadlineSeconds"].as<int>(), 3600);
        const YAML::Node container = pod["containers"][0];
        QCOMPARE(container["name"].as<std::string>(),
                 rule["onExitCodes"]["containerName"].as<std::string>());
        const YAML::Node limits = container["resources"]["limits"];
        QCOMPARE(limits["cpu"].as<int>(), 4);
        QCOMPARE(limits["memory"].as<std::string>(), std::string("16384Mi"));
        QCOMPARE(limits["nvidia.com/gpu"].as<int>(), 2);
        QCOMPARE(container["volumeMounts"][0]["mountPath"].as<std::string>(),
                 contract.folder().string());
        QCOMPARE(container["volumeMounts"][0]["name"].as<std::string>(),
                 pod["volumes"][0]["name"].as<std::string>());
        // The shell's own words, of a program that prints them in the place of cospadi.
        std::string script = container["command"][2].as<std::string>();
        const std::string program = "exec '" + kProgram.string() + "'";
        QVERIFY(script.starts_with(program));
        script.replace(0, program.size(), "printf '[%s]'");
        QProcess shell;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("JOB_COMPLETION_INDEX", "3");
        shell.setProcessEnvironment(environment);
        shell.start("sh", {"-c", QString::fromStdString(script)});
        QVERIFY(shell.waitForFinished());
        QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()),
                 QString("[job][--sweep][%1][--index][6][--count][2]")
                     .arg(QString::fromStdString(contract.file.string())));
    }

    void skypilotHasWhatItsTasksHave() {
        const SweepContract contract = contractAt(place("shared"), true);
        const YAML::Node task = yamlOf(workflowFile("skypilot", contract, everything(), kProgram));
        QCOMPARE(task["num_nodes"].as<int>(), 3);
        QCOMPARE(task["resources"]["accelerators"].as<std::string>(), std::string("a100:2"));
        QCOMPARE(task["resources"]["cpus"].as<std::string>(), std::string("4+"));
        QCOMPARE(task["resources"]["memory"].as<std::string>(), std::string("16+"));
        QVERIFY(task["volumes"][contract.folder().string()]);
        // A node stays while others are at work (75), and ends with what it came to.
        const std::string script = task["run"].as<std::string>();
        const auto endsWith = [&](const char* codes) {
            std::string replaced = script;
            const std::string program = "'" + kProgram.string() + "'";
            replaced.replace(replaced.find(program), program.size(), "next");
            QProcess shell;
            shell.start("bash",
                        {"-c", QString("cd '%1'; echo 0 > at; sleep() { :; }; next() { "
                                       "set -- %2; n=$(cat at); echo $((n + 1)) > at; shift $n; "
                                       "return $1; }\n%3")
                                   .arg(QString::fromStdString(place("").string()), codes,
                                        QString::fromStdString(replaced))});
            shell.waitForFinished();
            return shell.exitCode();
        };
        QCOMPARE(endsWith("0 99"), 0);
        QCOMPARE(endsWith("75 75 0 99"), 0);
        QCOMPARE(endsWith("75 42 99"), 42);
    }

    // YAML would take the first line's indentation for that of all.
    void setupMayBeginIndented() {
        const std::string setup = "    # modules\nmodule load cuda\n";
        SlurmOptions options;
        options.setup = place("indented.sh");
        std::ofstream(options.setup) << setup;
        const SweepContract contract = contractAt(place("shared"), false);
        const auto script = [&](const char* engine) {
            return yamlOf(workflowFile(engine, contract, options, kProgram));
        };
        const auto pod = script("kubernetes")["spec"]["template"]["spec"]["containers"][0];
        QVERIFY(pod["command"][2].as<std::string>().starts_with(setup));
        const YAML::Node task = script("skypilot");
        QVERIFY(task["run"].as<std::string>().starts_with(setup));
        QVERIFY(task["setup"].as<std::string>().find("\n" + setup) != std::string::npos);
    }

    void whatAnEngineDoesNotHaveIsRefused() {
        const SweepContract contract = contractAt(place("shared"), false);
        SlurmOptions options;
        options.partition = "main";
        for (const char* engine : {"kubernetes", "skypilot"}) {
            QVERIFY(oracle::errorOf([&] {
                        workflowFile(engine, contract, options, kProgram);
                    }).startsWith("--partition"));
        }
        options = {};
        options.time = "90";
        QVERIFY(oracle::errorOf([&] {
                    workflowFile("skypilot", contract, options, kProgram);
                }).startsWith("--time"));
        QVERIFY(!oracle::errorOf([&] { workflowFile("pbs", contract, {}, kProgram); }).isEmpty());
    }

    void theEnginesReadThem_data() {
        QTest::addColumn<QString>("engine");
        for (const std::string& engine : workflowEngines()) {
            QTest::newRow(engine.c_str()) << QString::fromStdString(engine);
        }
    }

    void theEnginesReadThem() {
        QFETCH(QString, engine);
        SlurmOptions options = everything();
        options.setup = place("setup.sh");
        std::ofstream(options.setup) << "export GREETING=\"${HOME:-it's}\"\n";
        for (const bool bundled : {false, true}) {
            options.bundle = bundled ? 2 : 1;
            const SweepContract contract =
                contractAt(place(bundled ? "bundled" : "it's {5%} single"), true);
            const nlohmann::json told =
                readBy(engine.toStdString(),
                       workflowFile(engine.toStdString(), contract, options, kProgram));
            if (told.contains("skipped")) {
                QSKIP(told["skipped"].get<std::string>().c_str());
            }
            QVERIFY2(told.contains("read"), told.dump(1).c_str());
            if (engine == "snakemake") {
                // Three stages of seven jobs, of which two calibrate; or four bundles, and `all`.
                const nlohmann::json expected =
                    bundled ? nlohmann::json{{"all", 1}, {"calibrate", 2}, {"compress", 4}}
                            : nlohmann::json{
                                  {"all", 1}, {"calibrate", 2}, {"compress", 7}, {"evaluate", 7}};
                QCOMPARE(told["read"].dump(), expected.dump());
            }
        }
    }
};

COSPADI_TEST(TestWorkflowFile)

}  // namespace tst_workflow_file

#include "tst_workflow_file.moc"
