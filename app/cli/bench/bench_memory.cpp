#include "app/cli/bench/bench_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/made_up_model.h"
#include "app/cli/bench/peak_memory.h"
#include "core/base/disk_space.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/run/cost_estimate.h"
#include "core/run/evaluate_run.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kGigabyte = 1e9;
constexpr std::int64_t kLength = 512;

// Of the last block, so that calibration goes through all of them. Of so few tokens the Gram of
// ffn_down lacks most directions, and its eigenvalues take an hour: `bench layers` has that layer.
std::string someLayers(std::int64_t blocks) {
    return fmt::format(R"(^blk\.{}\.(attn|ffn_gate|ffn_up))", blocks - 1);
}

// Packed sums, one a block and input of its layers.
double gramBytes(const ModelConfig& model) {
    const auto hidden = static_cast<double>(model.hiddenSize);
    const auto wide = static_cast<double>(model.intermediateSize);
    return static_cast<double>(model.blocks) * 4 * (3 * hidden * hidden + wide * wide);
}

struct Phase {
    double seconds = 0;
    double peak = 0;  // bytes
};

// The most that was held in each stage of a run.
class StagePeaks {
  public:
    void enter(const std::string& stage) {
        if (stage == m_stage) {
            return;
        }
        leave();
        m_stage = stage;
        m_begin = m_clock.seconds();
        forgetPeak();
    }

    void leave() {
        if (!m_stage.empty()) {
            Phase& phase = m_phases[m_stage];
            phase.seconds += m_clock.seconds() - m_begin;
            phase.peak = std::max(phase.peak, peakBytes());
            m_stage.clear();
        }
    }

    const std::map<std::string, Phase>& phases() const { return m_phases; }

  private:
    std::map<std::string, Phase> m_phases;
    std::string m_stage;
    Stopwatch m_clock;
    double m_begin = 0;
};

}  // namespace

int benchMemory(const Session& session, const std::string& setName, const std::string& tokenizer,
                bool quick) {
    const ModelSet& set = quick ? modelSets().front() : modelSet(setName);
    const ModelConfig shapes = madeUpModel(set);
    const double weights = weightBytes(shapes);
    const TemporaryFolder work = TemporaryFolder::unique("cospadi-made-up-");
    requireDiskSpace(work.path(), 1.05 * (weights + gramBytes(shapes)), work.path(),
                     "set TMPDIR to a folder with more space, or use --quick");
    setenv("XDG_CACHE_HOME", (work.path() / "cache").c_str(), 1);  // its sums go with it

    ProgressLine line;
    const Stopwatch writing;
    writeMadeUpModel(shapes, locateModel(tokenizer), work.path() / "model", [&](double bytes) {
        const auto percent = static_cast<std::int64_t>(100 * bytes / weights);
        line.show(
            {"write", percent, 100, writing.seconds(), writing.seconds() * (weights / bytes - 1)},
            "");
    });
    const double written = writing.seconds();

    RunSpecification specification;
    specification.model = (work.path() / "model").string();
    specification.layers = someLayers(shapes.blocks);
    specification.method = &svdLlmMethod();
    specification.calibration.text = namedText("c4").string();
    specification.calibration.sequences = quick ? 1 : 2;
    specification.calibration.length = kLength;
    StagePeaks stages;
    RunExecution execution;
    execution.writeModel = false;
    execution.onEvent = [&](const nlohmann::json& event) {
        if (event.at("event") == "progress") {
            stages.enter(event.at("stage").get<std::string>());
            session.progress(line)({event.at("stage"), event.at("done"), event.at("total"),
                                    event.at("seconds"), event.at("eta_seconds")});
        }
    };
    stages.enter("model");
    const RunSummary run =
        executeRun(specification, work.path() / "run", execution, session.signals.token());
    EvaluationRequest asked;
    asked.model = (work.path() / "run").string();
    asked.text = namedText("wikitext2");
    asked.options.maxTokens = specification.calibration.sequences * kLength;
    stages.enter("perplexity");
    bool isWhole =
        run.termination != Termination::Cancelled &&
        evaluateAndRecord(asked, session.progress(line), session.signals.token()).has_value();
    NativeRequest items;
    items.model = asked.model;
    items.tasks = {"arc_easy"};
    items.selection.limit = quick ? 4 : 8;
    NativeHooks hooks;
    hooks.progress = session.progress(line);
    stages.enter("tasks");
    isWhole = isWhole && evaluateTasks(items, hooks, session.signals.token()).has_value();
    stages.leave();
    line.clear();
    if (!isWhole) {
        return kCancelled;
    }

    const ModelInfo info = inspectModel(work.path() / "model");
    const double predicted =
        memoryEstimate(specification, selectLayers(info.layers, specification.layers), info.layers,
                       static_cast<double>(info.parameters), ThreadPool::availableCores());
    double highest = 0;
    std::string notes = fmt::format(
        "{}: {:.2f} billion parameters, {} on disk, written in {}; svd-llm on six layers of the "
        "last of {} blocks, {} tokens\n\n{:<12} {:>9} {:>10}\n",
        set.name, weights / 2e9, humanBytes(weights), humanSeconds(written), shapes.blocks,
        specification.calibration.sequences * kLength, "stage", "seconds", "memory");
    for (const auto& [stage, phase] : stages.phases()) {
        highest = std::max(highest, phase.peak);
        notes +=
            fmt::format("{:<12} {:>9.1f} {:>10}\n", stage, phase.seconds, humanBytes(phase.peak));
    }
    notes += fmt::format("\nPredicted: {}\n", humanBytes(predicted));
    return publishChecks(
        session,
        {{"peak memory of the run", highest / kGigabyte, "GB", "limit", set.hostBytes / kGigabyte,
          highest / set.hostBytes, 1, highest <= set.hostBytes},
         {"of the weights on disk", highest / kGigabyte, "GB", "weights", weights / kGigabyte,
          highest / weights, 1, highest <= weights}},
        notes);
}

}  // namespace cospadi::cli
