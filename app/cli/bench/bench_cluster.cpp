#include "app/cli/bench/bench_cluster.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/cli/bench/bench_checks.h"
#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/cluster/lease.h"
#include "core/cluster/process_identity.h"
#include "core/cluster/sweep_contract.h"
#include "core/schedulers/slurm_submission.h"
#include "core/store/run_annotations.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kWholeLimit = 60;  // seconds, of all steps together
constexpr int kHashDigits = 64;     // of a sha256
constexpr const char* kOnlyLayer = "blk.0.attn_k";

// In the place of Slurm: arrays are taken and listed, a line a task, and nothing is begun.
constexpr const char* kSbatch = R"(#!/bin/sh
for word; do case $word in
    --array=*) array=${word#--array=} ;;
    --comment=*) comment=${word#--comment=} ;;
esac; done
id=$(($(cat "$0.last" 2>/dev/null || echo 0) + 1))
echo "$id" | tee "$0.last"
for range in $(echo "${array%%%*}" | tr , ' '); do
    seq "${range%-*}" "${range#*-}" | sed "s|.*|${id}_& & $comment PENDING  Priority|"
done >>"$(dirname "$0")/queue"
)";
constexpr const char* kSqueue = "#!/bin/sh\ncat \"$(dirname \"$0\")/queue\" 2>/dev/null || true\n";
constexpr const char* kScontrol = "#!/bin/sh\necho 'MaxArraySize = 1001'\n";

void writeWhole(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

void writeProgram(const fs::path& path, const char* text) {
    fs::create_directories(path.parent_path());
    writeWhole(path, text);
    fs::permissions(path, fs::perms::owner_all);
}

SweepContract contractOfNothing(const fs::path& file, int jobs) {
    std::vector<RunSpecification> specifications;
    for (int i = 0; i < jobs; ++i) {
        specifications.push_back(
            runSpecificationFromJson({{"model", "/models/model.gguf"},
                                      {"model_sha256", std::string(kHashDigits, 'a')},
                                      {"method", "svd"},
                                      {"layers", kOnlyLayer},
                                      {"cr", 0.1 + 0.4 * i / jobs}}));
    }
    SweepContract contract = contractOf(file, specifications);
    contract.name = "nothing";
    contract.tags = {"sweep:nothing"};
    return contract;
}

// As `job` leaves it, but with an empty matrix file: a store lists them and opens none.
void leaveFinished(const SweepContract& contract, std::size_t job) {
    const ContractedJob& contracted = contract.jobs[job];
    const fs::path run = contract.runOf(job);
    const fs::path state = contract.stateOf(job);
    const std::string id = "svd-" + contracted.id;
    fs::create_directories(run / "matrices");
    fs::create_directories(state);
    writeWhole(run / "matrices" / fmt::format("{}.safetensors", kOnlyLayer), "");
    writeWhole(run / "run.json", json{{"format", 1},
                                      {"id", id},
                                      {"created", "2026-11-01T04:15:00Z"},
                                      {"specification", contracted.specification},
                                      {"environment", {{"version", "0"}, {"cores", 2}}}}
                                     .dump(1));
    std::string events;
    for (const json& event :
         {json{{"event", "run_started"}, {"matrices", 1}, {"finished", 0}, {"t", 0.0}},
          json{{"event", "matrix_finished"},
               {"matrix", kOnlyLayer},
               {"relative_error", 0.25},
               {"t", 0.1}},
          json{{"event", "run_finished"}, {"status", "finished"}, {"message", ""}, {"t", 0.1}}}) {
        events += event.dump() + "\n";
    }
    writeWhole(run / "events.jsonl", events);
    writeWhole(run / "result.json", json{{"status", "finished"},
                                         {"seconds", 0.1},
                                         {"bytes", 4504},
                                         {"dense_bytes", 8192},
                                         {"relative_error", 0.25},
                                         {"matrices", json::array({{{"name", kOnlyLayer},
                                                                    {"kind", "attn_k"},
                                                                    {"block", 0},
                                                                    {"d1", 64},
                                                                    {"d2", 64},
                                                                    {"k", 0},
                                                                    {"s", 0},
                                                                    {"rank", 19},
                                                                    {"bytes", 4504},
                                                                    {"dense_bytes", 8192},
                                                                    {"relative_error", 0.25},
                                                                    {"gram_shift", 0.0},
                                                                    {"replaced_atoms", 0},
                                                                    {"iterations", 0},
                                                                    {"seconds", 0.1}}})}}
                                        .dump(1));
    RunAnnotations annotations;
    annotations.tags = contract.tags;
    writeWhole(run / kAnnotationsFile, annotationsText(annotations));
    writeWhole(state / "attempt-0001.json", json{{"format", 1},
                                                 {"process", toJson(thisProcess())},
                                                 {"scheduler", "slurm 1_1"},
                                                 {"end", name(AttemptEnd::Done)}}
                                                .dump(1));
    writeWhole(state / "result.json",
               json{{"format", 1}, {"id", contracted.id}, {"run", id}, {"bytes", 4504}}.dump(1));
}

class Commands {
  public:
    Commands(const fs::path& workplace, bool onSlurm) {
        m_environment["COSPADI_RUNS"] = (workplace / "store").string();
        m_environment["XDG_CACHE_HOME"] = (workplace / "cache").string();
        if (!onSlurm) {
            const fs::path programs = workplace / "programs";
            writeProgram(programs / "sbatch", kSbatch);
            writeProgram(programs / "squeue", kSqueue);
            writeProgram(programs / "scontrol", kScontrol);
            const char* path = std::getenv("PATH");
            m_environment["PATH"] = programs.string() + ":" + (path == nullptr ? "" : path);
        }
    }

    // What it printed as JSON, and how long it took.
    std::pair<json, double> run(const std::vector<std::string>& words) const {
        std::vector<std::string> command{ownProgram().string()};
        command.insert(command.end(), words.begin(), words.end());
        command.emplace_back("--json");
        std::string text;
        const Stopwatch clock;
        const int exitCode = runChild({command, m_environment}, [&](std::string_view more) {
                                 text += more;
                             }).exitCode;
        const double seconds = clock.seconds();
        const std::size_t begin = text.find('{');  // behind what went to stderr
        json object =
            json::parse(begin == std::string::npos ? "" : text.substr(begin), nullptr, false);
        if (exitCode != kOk || object.is_discarded()) {
            throw Error(fmt::format("ended with code {}: {}", exitCode, text.substr(0, 1000)),
                        fmt::format("cospadi {} {}", words[0], words[1]), "see its output");
        }
        return {object, seconds};
    }

  private:
    std::map<std::string, std::string> m_environment;
};

// What was submitted and has not begun does not stay, however the benchmark ends.
class Cancelling {
  public:
    Cancelling(const Commands& commands, fs::path file, bool onSlurm)
        : m_commands(commands), m_file(std::move(file)), m_onSlurm(onSlurm) {}
    ~Cancelling() { now(); }
    Cancelling(const Cancelling&) = delete;
    Cancelling& operator=(const Cancelling&) = delete;

    void now() {
        if (std::exchange(m_onSlurm, false)) {
            try {
                m_commands.run({"sweep", "cancel", m_file.string()});
            } catch (const Error&) {  // nothing was taken, or Slurm is away
            }
        }
    }

  private:
    const Commands& m_commands;
    fs::path m_file;
    bool m_onSlurm;
};

// Of all commands that have ended, whoever else uses the machine.
double commandsProcessorSeconds() {
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    constexpr double micro = 1e-6;
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           micro * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

}  // namespace

int benchCluster(const Session& session, bool quick, bool onSlurm) {
    const int count = quick ? 1000 : 10'000;
    const TemporaryFolder workplace = TemporaryFolder::unique("cospadi-bench-cluster");
    const Commands commands(workplace.path(), onSlurm);
    const fs::path file = workplace.path() / "sweep" / "sweep.json";
    const fs::path setup = workplace.path() / "setup.sh";
    fs::create_directories(workplace.path() / "store");
    writeWhole(setup, "exit 0\n");
    std::vector<Check> checks;
    double sum = 0;
    const auto add = [&](const std::string& name, double seconds, bool counts) {
        checks.push_back({name, seconds, "s", "limit", kWholeLimit, seconds / kWholeLimit, 1,
                          seconds <= kWholeLimit});
        sum += counts ? seconds : 0;
    };
    const Stopwatch writing;
    const SweepContract contract = contractOfNothing(file, count);
    writeContract(contract);
    add("write the sweep file", writing.seconds(), true);

    Cancelling cancelling(commands, file, onSlurm);
    const auto [submitted, submission] =
        commands.run({"sweep", file.string(), "--on", "slurm", "--setup", setup.string()});
    std::size_t tasks = 0;
    for (const json& array : submitted.at("arrays")) {
        tasks += array.at("tasks").get<std::size_t>();
    }
    add(fmt::format("submit {} tasks in {} arrays", tasks, submitted.at("arrays").size()),
        submission, true);
    add("status, none done", commands.run({"sweep", "status", file.string()}).second, true);
    cancelling.now();
    for (std::size_t job = 0; job < contract.jobs.size(); ++job) {
        leaveFinished(contract, job);
        if (session.signals.token().stop_requested()) {
            return kCancelled;
        }
    }
    const auto [told, merging] = commands.run({"sweep", "status", file.string()});
    add(fmt::format("status, {} runs imported into the store", told.at("merged").get<int>()),
        merging, true);
    add("status, nothing new", commands.run({"sweep", "status", file.string()}).second, true);
    add("all of it", sum, false);
    const bool isWhole = tasks == contract.jobs.size() && told.at("merged") == count;
    checks.back().holds = checks.back().holds && isWhole;
    return publishChecks(
        session, checks,
        fmt::format("{} jobs; {}; the commands took {:.1f} s of processors\n", count,
                    onSlurm ? "Slurm as it is here, each task ends at once"
                            : "commands in Slurm's place that start nothing",
                    commandsProcessorSeconds()));
}

}  // namespace cospadi::cli
