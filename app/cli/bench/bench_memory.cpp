#include "app/cli/bench/bench_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "app/cli/bench/bench_checks.h"
#include "app/cli/bench/made_up_model.h"
#include "app/cli/bench/peak_memory.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/run/compression_run.h"
#include "core/run/cost_estimate.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kGigabyte = 1e9;
constexpr double kLimit = 12 * kGigabyte;      // of a model of 8B parameters
constexpr double kSmallLimit = 3 * kGigabyte;  // of Llama-3.2-1B's shapes
constexpr double kSmallWeights = 5 * kGigabyte;
constexpr std::int64_t kLength = 512;
// Of so few tokens the Gram of ffn_down lacks most directions, and its eigenvalues take an hour:
// `bench layers` has that layer.
constexpr const char* kSomeLayers = "^blk\\.0\\.(attn|ffn_gate|ffn_up)";

// Packed sums, one a block and input of its layers.
double gramBytes(const MadeUpModel& model) {
    const auto hidden = static_cast<double>(model.hidden);
    const auto wide = static_cast<double>(model.feedForward);
    return static_cast<double>(model.blocks) * 4 * (3 * hidden * hidden + wide * wide);
}

void requireRoom(const fs::path& folder, double bytes) {
    std::error_code failed;
    const fs::space_info space = fs::space(folder, failed);
    if (!failed && static_cast<double>(space.available) < bytes) {
        throw Error(fmt::format("needs {}, and {} are free", humanBytes(bytes),
                                humanBytes(static_cast<double>(space.available))),
                    folder.string(), "set TMPDIR to a folder with more room, or give --quick");
    }
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
    const MadeUpModel shapes = madeUpModel(set);
    const TemporaryFolder work = TemporaryFolder::unique("cospadi-made-up-");
    requireRoom(work.path(), 1.05 * (shapes.weightBytes() + gramBytes(shapes)));
    setenv("XDG_CACHE_HOME", (work.path() / "cache").c_str(), 1);  // its sums go with it

    ProgressLine line;
    const Stopwatch writing;
    writeMadeUpModel(shapes, locateModel(tokenizer), work.path() / "model", [&](double bytes) {
        const auto percent = static_cast<std::int64_t>(100 * bytes / shapes.weightBytes());
        line.show({"write", percent, 100, writing.seconds(),
                   writing.seconds() * (shapes.weightBytes() / bytes - 1)},
                  "");
    });
    const double written = writing.seconds();

    RunSpecification specification;
    specification.model = (work.path() / "model").string();
    specification.layers = kSomeLayers;
    specification.method = &svdLlmMethod();
    specification.calibration.text = resourcePath("texts/c4_calib.jsonl").string();
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
    stages.leave();
    line.clear();
    if (run.termination == Termination::Cancelled) {
        return kCancelled;
    }

    const ModelInfo info = inspectModel(work.path() / "model");
    const double predicted =
        memoryEstimate(specification, selectLayers(info.layers, specification.layers), info.layers,
                       static_cast<double>(info.parameters), ThreadPool::availableCores());
    double highest = 0;
    std::string notes = fmt::format(
        "{}: {:.2f} billion parameters, {} on disk, written in {}; svd-llm on six layers of block "
        "0 of {}, {} "
        "tokens\n\n{:<12} {:>9} {:>10}\n",
        set.name, shapes.parameters() / 1e9, humanBytes(shapes.weightBytes()),
        humanSeconds(written), shapes.blocks, specification.calibration.sequences * kLength,
        "stage", "seconds", "memory");
    for (const auto& [stage, phase] : stages.phases()) {
        highest = std::max(highest, phase.peak);
        notes +=
            fmt::format("{:<12} {:>9.1f} {:>10}\n", stage, phase.seconds, humanBytes(phase.peak));
    }
    notes += fmt::format("\nPredicted: {}\n", humanBytes(predicted));
    const double limit = shapes.weightBytes() < kSmallWeights ? kSmallLimit : kLimit;
    return publishChecks(session,
                         {{"peak memory of the run", highest / kGigabyte, "GB", "limit",
                           limit / kGigabyte, highest / limit, 1, highest <= limit},
                          {"of the weights on disk", highest / kGigabyte, "GB", "weights",
                           shapes.weightBytes() / kGigabyte, highest / shapes.weightBytes(), 1,
                           highest <= shapes.weightBytes()}},
                         notes);
}

}  // namespace cospadi::cli
