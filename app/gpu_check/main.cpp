// gpu-check: is this device sound, and how fast is it? Its driver and description, every verb
// against the host's, a table of verbs with their share of the roofline, whole models. Text while
// it works; with
// --json FILE the same as one object.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/cli/bench/model_bench.h"
#include "app/command_line/command_line.h"
#include "app/gpu_check/verb_table.h"
#include "core/base/error.h"
#include "core/dictionary/budget.h"
#include "core/linalg/cpu_backend.h"
#include "gpu/device/compute_devices.h"

using namespace cospadi;
using nlohmann::json;

namespace {

constexpr std::int64_t kQuickPart = 16;           // divides all sizes of --quick
constexpr std::int64_t kLargestPursuit = 500000;  // k d2 that the host's pursuit is asked to do

struct Options {
    std::string device = "cuda";
    std::string output;
    std::vector<std::string> sets = {"llama-3.2-1b"};
    std::vector<std::string> solvers = {"fast"};
    std::vector<std::string> parts = {"verbs", "table", "models"};
    int shapes = 24;     // of the comparison with the host
    int atOnce = 1;      // matrices of the models
    int iterations = 0;  // of the models' solvers; 0: their own
    bool quick = false;
    bool tf32 = false;

    bool wants(const char* part) const { return std::ranges::find(parts, part) != parts.end(); }
};

struct Suite {
    json record;
    int failed = 0;
};

Suite runSuite(Backend& device, int shapes, bool quick) {
    CpuBackend host;
    Suite suite;
    int compared = 0;
    json failures = json::array();
    for (const VerbShape& shape : comparisonShapes(quick ? 4 : shapes, quick ? 200 : 4096, 1)) {
        const bool pursuits = shape.k * shape.d2 <= kLargestPursuit;
        for (const VerbDeviation& verb : compareVerbs(host, device, shape, pursuits, 2)) {
            ++compared;
            if (!verb.holds()) {
                ++suite.failed;
                fmt::print("  FAILED {} at {}: {:.2e}, at most {:.0e}\n", verb.verb,
                           describe(shape), verb.deviation, verb.tolerance);
                failures.push_back({{"verb", verb.verb},
                                    {"shape", describe(shape)},
                                    {"deviation", verb.deviation},
                                    {"tolerance", verb.tolerance}});
            }
        }
        fmt::print("  {}\n", describe(shape));
        std::fflush(stdout);
    }
    fmt::print("  {} comparisons, {} failed\n\n", compared, suite.failed);
    suite.record = {{"comparisons", compared}, {"failures", failures}};
    return suite;
}

json runTable(Backend& backend, bool quick) {
    const std::int64_t part = quick ? kQuickPart : 1;
    VerbShape shape;
    shape.d1 = 4096 / part;
    shape.d2 = 14336 / part;
    const SparseBudget budget = sparseBudget(shape.d1, shape.d2, 0.2, 2, Accounting::Eq11);
    shape.k = budget.k;
    shape.s = budget.s;
    const Ceilings ceilings = measureCeilings(backend, 8192 / part);
    fmt::print("Verbs at {}; ceilings measured here: {:.1f} TFLOP/s, {:.1f} GB/s\n",
               describe(shape), ceilings.flops / 1e12, ceilings.bytes / 1e9);
    json rows = json::array();
    for (const VerbTiming& row : timeVerbs(backend, shape)) {
        fmt::print("  {:<36} {:>10.3f} ms {:>8.2f} TFLOP/s {:>8.1f} GB/s {:>5.0f} %\n", row.verb,
                   row.seconds * 1e3, row.flops / row.seconds / 1e12, row.bytes / row.seconds / 1e9,
                   100 * row.share(ceilings));
        rows.push_back({{"verb", row.verb},
                        {"seconds", row.seconds},
                        {"flops", row.flops},
                        {"bytes", row.bytes},
                        {"share", row.share(ceilings)}});
    }
    fmt::print("\n");
    return {{"shape", describe(shape)},
            {"flops_per_second", ceilings.flops},
            {"bytes_per_second", ceilings.bytes},
            {"verbs", rows}};
}

// `models` grows by one after the other; kept is called after each.
void runModels(const Options& options, const std::function<std::unique_ptr<Backend>()>& open,
               json& models, const std::function<void()>& kept) {
    models = json::array();
    for (const std::string& set : options.sets) {
        for (const std::string& solver : options.solvers) {
            MatrixOptions matrix;
            matrix.solver = solverFromName(solver);
            matrix.iterations = options.iterations;
            const auto result = cli::benchModel(
                cli::modelSet(set), matrix, options.quick ? kQuickPart : 1, options.atOnce, open,
                [](const cli::LayerShape&, const IterationSummary&) {}, {});
            const std::string cut = options.iterations > 0
                                        ? fmt::format(", {} iterations alone", options.iterations)
                                        : std::string();
            fmt::print("{}, {}, CR 0.2, ρ 2{}\n{}\n", set, solver, cut, cli::text(*result));
            std::fflush(stdout);
            json model = cli::toJson(*result);
            model["set"] = set;
            model["solver"] = solver;
            model["iterations"] = options.iterations;
            models.push_back(std::move(model));
            kept();
        }
    }
}

// Before hours of work rather than behind them.
void validate(const Options& options) {
    for (const std::string& set : options.sets) {
        static_cast<void>(cli::modelSet(set));
    }
    for (const std::string& solver : options.solvers) {
        static_cast<void>(solverFromName(solver));
    }
}

void write(const json& record, const std::string& path) {
    if (path.empty()) {
        return;
    }
    std::ofstream file(path);
    file << record.dump(1) << "\n";
    if (!file.flush()) {
        throw Error("cannot be written", path, "name another file with --json");
    }
}

int check(const Options& options) {
    validate(options);
    const ComputeDevice device = computeDevice(options.device, options.tf32);
    const auto open = [&]() -> std::unique_ptr<Backend> {
        return device.open ? device.open(0) : std::make_unique<CpuBackend>();
    };
    const std::unique_ptr<Backend> backend = open();
    fmt::print("{}\n\n", backend->description());
    std::fflush(stdout);
    json record{{"device", device.description}, {"backend", backend->description()}};
    // After every part: what is measured on a machine that is lent stays, however it ends.
    const auto keep = [&] { write(record, options.output); };
    keep();
    Suite suite;
    if (options.wants("verbs")) {
        fmt::print("Every verb against the host's\n");
        suite = runSuite(*backend, options.shapes, options.quick);
        record["suite"] = suite.record;
        keep();
    }
    if (options.wants("table")) {
        record["table"] = runTable(*backend, options.quick);
        keep();
    }
    if (options.wants("models")) {
        runModels(options, open, record["models"], keep);
    }
    return suite.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    cli::CommandLine line(
        "Checks and measures a CUDA device for CoSpaDi; needs only its driver and cuBLAS.",
        "gpu-check");
    const cli::Command program = line.program();
    Options options;
    program.addOption("--device", options.device, "cuda, cuda:N, auto, or cpu to try the program")
        .showDefault();
    program.addOption("--json", options.output, "Write the figures to this file, too");
    program.addOption("--set", options.sets, "Whole models: llama-3.2-1b, llama-3-8b, qwen3-8b")
        .delimiter(',')
        .showDefault();
    program.addOption("--solver", options.solvers, "fast, ksvd (60×8)")
        .delimiter(',')
        .showDefault();
    program.addOption("--only", options.parts, "Of verbs, table, models, with commas")
        .delimiter(',')
        .oneOf({"verbs", "table", "models"})
        .showDefault();
    program
        .addOption("--shapes", options.shapes, "At how many random shapes the verbs are compared")
        .inRange(1, 1000)
        .showDefault();
    program
        .addOption("--at-once", options.atOnce,
                   "Matrices of the models that are solved at the same time; runs take 2 to 8")
        .inRange(1, 64)
        .showDefault();
    program
        .addOption("--iterations", options.iterations,
                   "Of the models' solvers, to see what one costs; 0: all of them")
        .inRange(0, 1000)
        .showDefault();
    program.addFlag("--tf32", options.tf32, "Products on tensor cores");
    program.addFlag("--quick", options.quick, "All sizes divided by 16: does it work at all?");
    if (const std::optional<int> ended = line.parse(argc, argv)) {
        return *ended;
    }
    try {
        return check(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "gpu-check: {}\n", error.what());
        return 1;
    }
}
