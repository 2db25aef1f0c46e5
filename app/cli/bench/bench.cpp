// `cospadi bench NAME`: measured figures with the peer or the limit beside them, all in one run.
#include "app/cli/bench/bench_allocation.h"
#include "app/cli/bench/bench_cluster.h"
#include "app/cli/bench/bench_errors.h"
#include "app/cli/bench/bench_explore.h"
#include "app/cli/bench/bench_forward.h"
#include "app/cli/bench/bench_gpu.h"
#include "app/cli/bench/bench_growth.h"
#include "app/cli/bench/bench_inference.h"
#include "app/cli/bench/bench_latency.h"
#include "app/cli/bench/bench_layers.h"
#include "app/cli/bench/bench_memory.h"
#include "app/cli/bench/bench_predict.h"
#include "app/cli/bench/bench_serving.h"
#include "app/cli/bench/bench_solver.h"
#include "app/cli/bench/bench_store.h"
#include "app/cli/session.h"
#include "core/methods/allocation_words.h"

namespace cospadi::cli {

namespace {

struct BenchOptions {
    std::string name;
    std::string model = "default";
    std::string peer;
    std::string csv;
    std::string layers;
    std::string allocation = "knapsack";
    std::string reference;
    std::int64_t maxTokens = 65536;
    double cr = 0.4;
    DeviceOptions device;
    std::string set = "llama-3.2-1b";
    std::string solver = "fast";
    bool quick = false;
    bool slurm = false;
    ServingBench serving;
};

int bench(const Session& session, const BenchOptions& options) {
    if (options.name == "serving") {
        ServingBench serving = options.serving;
        serving.quick = options.quick;
        return benchServing(session, serving);
    }
    if (!options.serving.runs.empty()) {
        throw UsageError("runs are given, but only serving uses them", options.serving.runs.front(),
                         "omit them, or use bench serving");
    }
    if (options.name == "solver") {
        return benchSolver(session, options.model, options.peer, options.quick);
    }
    if (options.name == "errors") {
        return benchErrors(session, {options.model, options.layers, options.reference, options.csv,
                                     options.quick});
    }
    if (options.name == "allocation") {
        return benchAllocation(session, {options.model, options.layers, options.allocation,
                                         options.maxTokens, options.csv, options.quick});
    }
    if (options.name == "predict") {
        return benchPredict(session, {options.model, options.csv, options.quick});
    }
    if (options.name == "forward") {
        return benchForward(session, options.model, options.peer, options.quick);
    }
    if (options.name == "latency") {
        return benchLatency(
            session, {options.model, options.peer, options.serving.prompts, options.serving.tokens,
                      options.serving.rounds, options.quick});
    }
    if (options.name == "growth") {
        return benchGrowth(session, options.csv, options.quick);
    }
    if (options.name == "inference") {
        return benchInference(session, options.model, options.cr, options.quick);
    }
    if (options.name == "explore") {
        return benchExplore(session, options.model, options.quick);
    }
    if (options.name == "cluster") {
        return benchCluster(session, options.quick, options.slurm);
    }
    if (options.name == "gpu") {
        return benchGpu(session, options.device, options.set, options.solver, options.quick);
    }
    if (options.name == "memory") {
        return benchMemory(session, options.set, options.model, options.quick);
    }
    return options.name == "layers" ? benchLayers(session, options.set, options.quick)
                                    : benchStore(session, options.quick);
}

}  // namespace

void addBench(Command app, Session& session) {
    const Command command =
        app.addCommand("bench", "Run a benchmark: solver, forward, inference, store, …");
    auto options = std::make_shared<BenchOptions>();
    command
        .addOption(
            "NAME", options->name,
            "solver: fast against ksvd 60x8 on real whitened matrices; errors: errors of fast over "
            "ρ, CR and accounting, against stored ones; allocation: a rule against uniform, in "
            "full runs with perplexity; predict: predicted perplexity against that of full runs; "
            "forward: tokens/s and share of the GEMM rate; inference: generation with dense, "
            "low-rank and sparse-dictionary layers; latency: seconds to the first token and "
            "between tokens of one user; store: 10 000 runs of 200 matrices; cluster: 10 000 empty "
            "jobs submitted, queried and imported into a store; growth: seconds against d, k and "
            "the number of matrices; layers: the layer shapes of a whole model, time and memory; "
            "memory: peak memory of a run with a model that need not fit into memory; explore: the "
            "curves of the Explore page; gpu: the layers of whole models on a device; serving: "
            "tokens/s and latencies of stored runs, alone and over HTTP")
        .required()
        .oneOf({"solver", "errors", "allocation", "predict", "forward", "inference", "latency",
                "store", "cluster", "growth", "layers", "memory", "explore", "gpu", "serving"});
    command.addOption(
        "RUN", options->serving.runs,
        "serving: ids or directories of runs; a model, such as default, selects its dense run");
    command.addOption("--mode", options->serving.mode, "serving: which of the two studies")
        .oneOf({"synchronous", "asynchronous", "both"})
        .showDefault();
    command
        .addOption("--users", options->serving.users,
                   "serving: users over HTTP, separated by commas [1,4,8,16]")
        .delimiter(',');
    command
        .addOption("--prompts", options->serving.prompts,
                   "serving, latency: tokens per prompt, separated by commas [1,16,32,64,128, and "
                   "256 for one user]")
        .delimiter(',');
    command
        .addOption("--tokens", options->serving.tokens,
                   "serving, latency: tokens generated per prompt")
        .inRange(1, 1 << 20)
        .showDefault();
    command
        .addOption(
            "--rounds", options->serving.rounds,
            "serving: measured prompts per user, after one that is not measured; latency: rounds")
        .inRange(1, 1 << 20)
        .showDefault();
    command
        .addOption("--model", options->model,
                   "solver, forward, inference, latency, predict, memory: another model")
        .showDefault();
    command.addOption("--peer", options->peer,
                      "A Python interpreter, to measure other programs in the same run with the "
                      "same data and threads: forward and latency need llama-cpp-python; solver "
                      "uses those installed of scikit-learn, spams-bin, ksvd, dictlearn");
    command.addOption("--csv", options->csv,
                      "growth, errors, allocation, predict: write the points to this file");
    command.addOption("--layers", options->layers,
                      "errors, allocation: regular expression of layers");
    std::vector<std::string> rules;
    for (const AllocationWords& words : allocationWords()) {
        if (&words != &allocationWords().front()) {  // which the others stand against
            rules.emplace_back(words.name);
        }
    }
    command.addOption("--allocation", options->allocation, "allocation: the rule")
        .showDefault()
        .oneOf(rules);
    command.addOption("--max-tokens", options->maxTokens, "allocation: tokens evaluated")
        .showDefault()
        .inRange(512, 1 << 24);
    command.addOption("--reference", options->reference,
                      "errors: another file of an earlier run's --csv");
    command.addOption("--cr", options->cr, "inference: the compression ratio")
        .showDefault()
        .inRange(0.05, 0.9);
    command
        .addOption("--set", options->set,
                   "gpu, layers, memory: llama-3.2-1b, llama-3-8b or qwen3-8b")
        .showDefault();
    command.addOption("--solver", options->solver, "gpu: fast, or ksvd, 60×8").showDefault();
    options->device.device = "cuda";
    options->device.addTo(command);
    command.addFlag("--slurm", options->slurm,
                    "cluster: submit tasks that end at once to this machine's Slurm");
    command.addFlag("--quick", options->quick, "Run a shorter version");
    finishCommand(command, session, [&session, options] { return bench(session, *options); });
}

}  // namespace cospadi::cli
