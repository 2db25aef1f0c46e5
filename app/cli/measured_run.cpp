#include "app/cli/measured_run.h"

#include <fmt/format.h>

#include "app/cli/run_command.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/run/earlier_runs.h"
#include "core/run/evaluate_run.h"
#include "core/store/locations.h"

namespace cospadi::cli {

namespace {

// By its settings, since a specification that has gained a field since has another hash.
std::filesystem::path directoryOf(const RunSpecification& full, const std::string& tag) {
    EarlierRuns earlier;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(runsDirectory(), failed)) {
        if (entry.path().filename().string().starts_with(tag + "-")) {
            earlier.add(entry.path());
        }
    }
    const EarlierRun* run = earlier.find(runKey(full));
    if (run != nullptr && run->specification.model == full.model &&
        run->specification.calibration.text == full.calibration.text) {
        return run->directory;
    }
    const std::string hash = sha256OfString(toJson(full).dump()).substr(0, 8);
    return runsDirectory() / fmt::format("{}-{}-{}", tag, shortLabel(full), hash);
}

}  // namespace

std::optional<MeasuredRun> measuredRun(const Session& session, const RunSpecification& full,
                                       const std::string& tag, std::int64_t maxTokens,
                                       const std::string& text) {
    RunExecution execution;
    execution.writeModel = false;
    const RunSummary run = runWithProgress(session, full, directoryOf(full, tag), execution, {tag});
    if (run.termination == Termination::Cancelled) {
        return std::nullopt;
    }
    EvaluationRequest request;
    request.model = run.directory.string();
    request.text = namedText(text);
    request.options.maxTokens = maxTokens;
    std::optional<double> perplexity = recordedPerplexity(request);
    if (!perplexity) {
        ProgressLine line;
        const auto outcome =
            evaluateAndRecord(request, session.progress(line), session.signals.token());
        line.clear();
        if (!outcome) {
            return std::nullopt;
        }
        perplexity = outcome->result.perplexity;
        indexRun(run.directory, {tag});
    }
    return MeasuredRun{run, *perplexity};
}

}  // namespace cospadi::cli
