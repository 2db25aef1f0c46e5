#include "app/cli/run_json.h"

#include <optional>

#include "app/cli/result_json.h"
#include "core/methods/rho_candidates.h"
#include "core/report/average_accuracy.h"
#include "core/report/global_ratio.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "core/store/run_specification.h"

namespace cospadi::cli {

nlohmann::json runJson(const RunRow& run) {
    nlohmann::json evaluations = nlohmann::json::array();
    for (const EvaluationRow& e : run.evaluations) {
        evaluations.push_back({{"kind", e.kind},
                               {"text", e.text},
                               {"context", e.context},
                               {"max_tokens", e.maxTokens},
                               {"score", e.score},
                               {"perplexity", numberOrNull(e.perplexity)}});
    }
    nlohmann::json tasks = nlohmann::json::array();
    for (const TaskResultRow& t : run.taskResults) {
        tasks.push_back(taskResultJson(t));
    }
    const Measure average = commonMeasure({run}, kAverageAccuracy);
    const std::optional<RunSpecification> specification = specificationOf(run);
    const RunSpecification used = specification ? effective(*specification) : RunSpecification();
    // Of a setting that does not count, and of one that the solver chooses by the matrix: null.
    const auto orNull = [&](int value) {
        return specification && value > 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
    };
    return {{"id", run.id},
            {"label", methodLabel(run)},
            {"directory", run.directory},
            {"created", run.created},
            {"status", run.status},
            {"model", run.model},
            {"method", run.method},
            {"solver", run.solver},
            {"layers", run.layers},
            {"cr", numberOrNull(run.cr)},
            {"measured_cr", numberOrNull(run.measuredRatio())},
            {"global_cr", numberOrNull(globalRatioOf(run).ratio)},
            {"rho", !isSparse(run)     ? nlohmann::json(nullptr)
                    : run.hasAutoRho() ? nlohmann::json(kAutoRho)
                                       : numberOrNull(run.rho)},
            {"matrices", run.matrices},
            {"bytes", run.layerBytes},
            {"dense_bytes", run.denseBytes},
            {"relative_error", numberOrNull(run.relativeError)},
            {"held_out_error", numberOrNull(run.heldOutError)},
            {"whitened", isCalibrated(run)},
            {"source_type", run.sourceType},
            {"source_bytes", run.sourceBytes},
            {"seconds", numberOrNull(run.seconds)},
            {"core_seconds", numberOrNull(run.coreSeconds)},
            {"seed", run.seed},
            {"iterations", orNull(used.iterations)},
            {"coefficient_bits",
             orNull(used.derived && used.derived->isRequantized() ? used.derived->coefficientBits
                                                                  : used.coefficientBits)},
            {"starred", run.starred},
            {"archived", run.archived},
            {"tags", run.tags},
            {"note", run.note},
            {"evaluations", evaluations},
            {"avg_acc", numberOrNull(averageOf(run, average.tasks))},
            {"avg_acc_lacks", missingTasks(run, average.tasks)},
            {"task_results", tasks}};
}

}  // namespace cospadi::cli
