// What goes to Slurm, as text: which jobs into which arrays, what waits for what, and scripts that
// a shell can read whatever stands in a path.
#include <QProcess>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/resolve_specification.h"
#include "core/schedulers/slurm_script.h"
#include "tests/core/oracle_data.h"
#include "tests/core/own_folder.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_slurm_script {

using namespace cospadi;

namespace {

using Numbers = std::vector<std::size_t>;

// Of `jobs` jobs that need a calibration, every second one of another draw.
SweepContract contractOf(int jobs, bool measured) {
    std::vector<RunSpecification> specifications;
    RunSpecification s = resolved(small_runs::specification("svd-llm"));
    for (int i = 0; i < jobs; ++i) {
        s.cr = 0.1 + 0.01 * i;
        s.calibration.seed = static_cast<std::uint64_t>(i % 2);
        specifications.push_back(s);
    }
    SweepContract contract =
        cospadi::contractOf("/shared/it's 5% $HOME/sweep.json", specifications);
    if (measured) {
        contract.evaluation = ContractedEvaluation{"/shared/text", std::string(64, '0'), {}};
    }
    return contract;
}

}  // namespace

class TestSlurmScript : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void rangesOfAnArray() {
        QCOMPARE(arrayText({0}), std::string("0"));
        QCOMPARE(arrayText({0, 1, 2, 3}), std::string("0-3"));
        QCOMPARE(arrayText({0, 2, 3, 7, 9, 10, 11}), std::string("0,2-3,7,9-11"));
        QCOMPARE(arrayText({4, 5}, 2), std::string("4-5%2"));
    }

    // Two calibrations for all; a compression waits for both, an evaluation for its compression.
    void arraysAndTheirOrder() {
        const SweepContract contract = contractOf(7, true);
        const auto arrays = slurmArrays(contract, {0, 1, 2, 4, 6}, 4);
        QCOMPARE(arrays.size(), std::size_t{5});
        QVERIFY(arrays[0].stage == JobStage::Calibrate && arrays[0].tasks == Numbers({0, 1}));
        QVERIFY(arrays[0].after.empty());
        QVERIFY(arrays[1].stage == JobStage::Compress && arrays[1].tasks == Numbers({0, 1, 2}));
        QVERIFY(arrays[1].offset == 0 && arrays[1].after == Numbers({0}));
        QVERIFY(arrays[2].stage == JobStage::Evaluate && arrays[2].tasks == arrays[1].tasks);
        QVERIFY(arrays[2].after == Numbers({1}));
        QVERIFY(arrays[3].stage == JobStage::Compress && arrays[3].tasks == Numbers({0, 2}));
        QVERIFY(arrays[3].offset == 4 && arrays[3].after == Numbers({0}));
        QVERIFY(arrays[4].after == Numbers({3}));
        QVERIFY(slurmArrays(contract, {}, 4).empty());
        QCOMPARE(slurmArrays(contractOf(7, false), {0, 1}, 1000).size(), std::size_t{2});
    }

    // Every job once, and no task number that Slurm would refuse.
    void splitsAtTheLargestArray() {
        const SweepContract contract = contractOf(23, false);
        Numbers all(23);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        for (const std::size_t largest : {1, 4, 22, 23, 1001}) {
            Numbers found;
            for (const SlurmArray& array : slurmArrays(contract, all, largest)) {
                for (const std::size_t task : array.tasks) {
                    QVERIFY(task < largest);
                    if (array.stage == JobStage::Compress) {
                        found.push_back(array.offset + task);
                    }
                }
            }
            QVERIFY(found == all);
        }
    }

    // A task of a bundle does what its jobs need; a job that is left brings its whole bundle along.
    void bundles() {
        const SweepContract contract = contractOf(23, true);
        const auto arrays = slurmArrays(contract, {0, 1, 2, 7, 8, 22}, 3, 4);
        QCOMPARE(arrays.size(), std::size_t{3});
        QVERIFY(arrays[0].stage == JobStage::Calibrate && arrays[0].tasks == Numbers({0, 1}));
        QCOMPARE(arrays[0].bundle, std::size_t{1});
        QVERIFY(arrays[1].stage == JobStage::All && arrays[1].tasks == Numbers({0, 1, 2}));
        QVERIFY(arrays[1].offset == 0 && arrays[1].after == Numbers({0}));
        QVERIFY(arrays[2].offset == 12 && arrays[2].tasks == Numbers({2}));  // 12 + 2 * 4 = 20 … 23
        QCOMPARE(arrays[2].bundle, std::size_t{4});
        SlurmOptions options;
        options.bundle = 4;
        options.gpus = "a100:2";
        const std::string script =
            slurmScript(contract, JobStage::All, options, "", "/usr/bin/cospadi");
        QVERIFY(script.find("\n#SBATCH --gpus=a100:2\n") != std::string::npos);
        QVERIFY(script.find(" --stage all --index $(($1 + SLURM_ARRAY_TASK_ID * 4)) --count 4 &") !=
                std::string::npos);
        const std::string calibrating =
            slurmScript(contract, JobStage::Calibrate, options, "", "/usr/bin/cospadi");
        QVERIFY(calibrating.find("--index $(($1 + SLURM_ARRAY_TASK_ID)) &") != std::string::npos);
    }

    void scriptsAreShell() {
        const SweepContract contract = contractOf(1, false);
        SlurmOptions options;
        options.partition = "gpu,main";
        options.time = "1-12:00";
        options.mem = "16G";
        options.cpus = 4;
        const std::string script = slurmScript(contract, JobStage::Compress, options,
                                               "module load gcc", "/opt/co spadi/bin/cospadi");
        for (const char* line :
             {"\n#SBATCH --partition=gpu,main\n", "\n#SBATCH --time=1-12:00\n",
              "\n#SBATCH --mem=16G\n", "\n#SBATCH --cpus-per-task=4\n", "\nmodule load gcc\n",
              "\n#SBATCH --output=\"/shared/it's 5%% $HOME/slurm/logs/%A_%a.txt\"\n"}) {
            QVERIFY2(script.find(line) != std::string::npos, line);
        }
        // What the shell makes of it: words of a program that prints them.
        const std::string printing =
            "set -- 40; SLURM_ARRAY_TASK_ID=2; job() { printf '[%s]' \"$@\"; }\n" +
            script.substr(script.find("export COSPADI_THREADS"));
        const std::string program = "'/opt/co spadi/bin/cospadi'";
        std::string replaced = printing;
        replaced.replace(replaced.find(program), program.size(), "job");
        QProcess shell;
        shell.start("bash", {"-c", QString::fromStdString(replaced)});
        QVERIFY(shell.waitForFinished());
        QCOMPARE(QString::fromUtf8(shell.readAllStandardOutput()),
                 QString("[job][--sweep][/shared/it's 5% $HOME/sweep.json][--stage][compress]"
                         "[--index][42]"));
        QCOMPARE(shell.exitCode(), 0);
        QCOMPARE(slurmJobName(contract).size(), std::size_t{20});
    }

    void optionsAreChecked() {
        const auto problemOf = [](const std::function<void(SlurmOptions&)>& change) {
            SlurmOptions options;
            change(options);
            return oracle::errorOf([&] { validate(options); });
        };
        QVERIFY(problemOf([](SlurmOptions& o) { o.time = "90"; }).isEmpty());
        QVERIFY(problemOf([](SlurmOptions& o) { o.mem = "512"; }).isEmpty());
        QVERIFY(problemOf([](SlurmOptions& o) { o.time = "1h"; }).startsWith("--time"));
        QVERIFY(problemOf([](SlurmOptions& o) { o.mem = "16 GB"; }).startsWith("--mem"));
        QVERIFY(problemOf([](SlurmOptions& o) { o.gpus = "2"; }).isEmpty());
        QVERIFY(problemOf([](SlurmOptions& o) { o.gpus = "a100"; }).startsWith("--gpus"));
        QVERIFY(problemOf([](SlurmOptions& o) { o.bundle = 0; }).startsWith("--bundle"));
        QVERIFY(problemOf([](SlurmOptions& o) { o.cpus = -1; }).startsWith("--cpus"));
        QVERIFY(problemOf([](SlurmOptions& o) {
                    o.partition = "a\n#SBATCH --uid=0";
                }).startsWith("--partition"));
    }

    void optionsComeBack() {
        SlurmOptions options;
        options.partition = "main";
        options.arrayLimit = 3;
        options.gpus = "a100:2";
        options.bundle = 5;
        options.setup = "/a b/setup.sh";
        QCOMPARE(commandWords(slurmOptionsFromJson(toJson(options))),
                 std::string("--on slurm --partition main --gpus a100:2 --bundle 5 --array-limit 3 "
                             "--setup '/a b/setup.sh'"));
        nlohmann::json forged = toJson(options);
        forged["partition"] = "x; rm -rf /";
        QVERIFY_THROWS_EXCEPTION(Error, slurmOptionsFromJson(forged));
    }
};

COSPADI_TEST(TestSlurmScript)

}  // namespace tst_slurm_script

#include "tst_slurm_script.moc"
