#include "app/cli/bench/bench_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/cli/bench/bench_checks.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/report/pivot.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMatrices = 200;
constexpr int kIterations = 22;
constexpr double kQueryLimit = 0.3;  // seconds
constexpr double kPivotLimit = 1;
constexpr double kImportLimit = 100;  // run directories a second
constexpr const char* kMethods[] = {"svd", "svd-llm", "cospadi-free", "cospadi"};

json storedSpecification(int run) {
    return {{"model", "/models/model.gguf"},
            {"model_sha256", "ab"},
            {"method", kMethods[run % 4]},
            {"solver", run % 3 == 0 ? "ksvd" : "fast"},
            {"layers", ".*"},
            {"cr", 0.1 * (1 + run % 5)},
            {"rho", 1.0 + run % 7 * 0.5},
            {"accounting", "eq11"},
            {"iterations", 0},
            {"seed", run}};
}

json resultOf(int run) {
    json rows = json::array();
    for (int i = 0; i < kMatrices; ++i) {
        rows.push_back({{"name", fmt::format("blk.{}.ffn_up", i)},
                        {"kind", "ffn_up"},
                        {"block", i},
                        {"d1", 576},
                        {"d2", 1536},
                        {"k", 526},
                        {"s", 263},
                        {"rank", 0},
                        {"bytes", 700'000 + i},
                        {"dense_bytes", 1'769'472},
                        {"relative_error", 0.1 + 1e-4 * ((run * 31 + i) % 997)},
                        {"gram_shift", 0.0},
                        {"replaced_atoms", 0},
                        {"iterations", kIterations},
                        {"seconds", 1.5}});
    }
    return {{"status", "finished"},         {"seconds", 300.0},
            {"bytes", 700'000 * kMatrices}, {"dense_bytes", 1'769'472 * kMatrices},
            {"relative_error", 0.12},       {"matrices", rows}};
}

void writeText(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

// As `compress` leaves it, but with empty matrix files: an import lists them and opens none.
void writeRunDirectory(const fs::path& folder, int run, const std::string& events) {
    fs::create_directories(folder / "evaluations");
    fs::create_directories(folder / "matrices");
    for (int i = 0; i < kMatrices; ++i) {
        writeText(folder / "matrices" / fmt::format("blk.{}.ffn_up.safetensors", i), "");
    }
    writeText(folder / "run.json",
              json{{"format", 1},
                   {"id", folder.filename().string()},
                   {"created", fmt::format("2026-11-{:02d}T04:15:00Z", 1 + run % 28)},
                   {"specification", storedSpecification(run)},
                   {"environment", {{"version", "0"}, {"cores", 2}}}}
                  .dump(1));
    writeText(folder / "events.jsonl", events);
    writeText(folder / "result.json", resultOf(run).dump(1));
    writeText(folder / "evaluations" / "perplexity-0.json", json{{"kind", "perplexity"},
                                                                 {"text", "/t.txt"},
                                                                 {"text_sha256", "cd"},
                                                                 {"context", 512},
                                                                 {"max_tokens", 0},
                                                                 {"score", "all"},
                                                                 {"perplexity", 30.0 + run % 100},
                                                                 {"tokens", 1000}}
                                                                .dump(1));
}

std::string eventsOfARun() {
    std::string text;
    const json usage = std::vector<int>(64, 700);
    for (int matrix = 0; matrix < kMatrices; ++matrix) {
        for (int i = 1; i <= kIterations; ++i) {
            text += json{{"event", "iteration"},
                         {"matrix", fmt::format("blk.{}.ffn_up", matrix)},
                         {"phase", "general"},
                         {"iteration", i},
                         {"relative_error", 0.2 / i},
                         {"dead_atoms", 0},
                         {"support_changes", 1000},
                         {"usage_entropy", 0.99},
                         {"usage", usage},
                         {"seconds", 0.05},
                         {"t", 0.1 * i}}
                        .dump() +
                    "\n";
        }
    }
    return text;
}

template <typename Work>
double bestSeconds(const Work& work) {
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const Stopwatch clock;
        work();
        best = std::min(best, clock.seconds());
    }
    return best;
}

Check query(const std::string& name, double seconds, double limit = kQueryLimit) {
    return {name, seconds, "s", "limit", limit, seconds / limit, 1, seconds <= limit};
}

}  // namespace

int benchStore(const Session& session, bool quick) {
    const int runs = quick ? 2000 : 10'000;
    const int directories = quick ? 100 : 300;
    const TemporaryFolder workplace = TemporaryFolder::unique("cospadi-bench-store");
    RunStore store = RunStore::open(workplace.path() / "cospadi.sqlite");
    const std::string events = eventsOfARun();
    for (int run = 0; run < directories; ++run) {
        writeRunDirectory(workplace.path() / "runs" / fmt::format("run-{:06d}", run), run, events);
    }
    ::sync();  // an import shall not wait for the disk to take what was written just now
    const Stopwatch importClock;
    const auto imported = store.importTree(workplace.path() / "runs").imported;
    const double importRate = static_cast<double>(imported) / importClock.seconds();
    const Stopwatch againClock;
    store.importTree(workplace.path() / "runs");
    const double againRate = static_cast<double>(imported) / againClock.seconds();

    // The others are copies of what was read, under names of their own.
    RunRecord pattern = readRunDirectory(workplace.path() / "runs" / "run-000003");
    readDetails("", pattern);
    ProgressLine line;
    const Stopwatch fillClock;
    for (int first = directories; first < runs; first += 500) {
        std::vector<RunRecord> records;
        for (int run = first; run < std::min(runs, first + 500); ++run) {
            RunRecord& record = records.emplace_back(pattern);
            record.run.id = fmt::format("run-{:06d}", run);
            record.run.created =
                fmt::format("2026-10-{:02d}T04:{:02d}:00Z", 1 + run % 28, run % 60);
            record.run.method = kMethods[run % 4];
            record.run.cr = 0.1 * (1 + run % 5);
        }
        store.importRecords(records);
        line.show({"fill", std::min(runs, first + 500), runs, fillClock.seconds(), -1});
        if (session.signals.token().stop_requested()) {
            return kCancelled;
        }
    }
    line.clear();
    for (int run = 0; run < runs; run += 50) {
        store.tag(fmt::format("run-{:06d}", run), "seventh");
    }

    std::size_t listed = 0;
    std::vector<Check> checks;
    checks.push_back(query("list all runs", bestSeconds([&] { listed = store.list().size(); })));
    const std::vector<RunRow> all = store.list();
    PivotOptions pivotOptions;
    pivotOptions.rows = {"method"};
    pivotOptions.columns = {"cr", "rho"};
    checks.push_back(
        query("pivot all runs", bestSeconds([&] { pivot(all, pivotOptions); }), kPivotLimit));
    RunFilter method;
    method.method = "cospadi";
    checks.push_back(query("filter by method", bestSeconds([&] { store.list(method); })));
    RunFilter tag;
    tag.tag = "seventh";
    checks.push_back(query("filter by tag", bestSeconds([&] { store.list(tag); })));
    RunFilter text;
    text.text = "seven";
    checks.push_back(query("search a text", bestSeconds([&] { store.list(text); })));
    checks.push_back(query("group by method and CR", bestSeconds([&] {
                               store.group({"method", "cr"});
                           })));
    checks.push_back(
        query("matrices of one run", bestSeconds([&] { store.matrices("run-000042"); })));
    checks.push_back(
        query("iterations of one run", bestSeconds([&] { store.iterations("run-000042"); })));
    checks.push_back(
        query("artefacts of one run", bestSeconds([&] { store.artefacts("run-000042"); })));
    checks.push_back({"import run directories", importRate, "runs/s", "limit", kImportLimit,
                      importRate / kImportLimit, 1, importRate >= kImportLimit});
    checks.push_back({"import them again, unchanged", againRate, "runs/s", "limit", kImportLimit,
                      againRate / kImportLimit, 1, againRate >= kImportLimit});
    const auto bytes = static_cast<double>(fs::file_size(workplace.path() / "cospadi.sqlite"));
    return publishChecks(
        session, checks,
        fmt::format("{} runs of {} matrices, {} with {} iterations a matrix as "
                    "directories; the store has {}\n",
                    listed, kMatrices, directories, kIterations, humanBytes(bytes)));
}

}  // namespace cospadi::cli
