#include "core/sweep/sweep_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_text.h"
#include "core/calibration/gram_cache.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/output_metric.h"
#include "core/methods/planned_storage.h"
#include "core/run/calibration_phase.h"
#include "core/run/cost_estimate.h"
#include "core/run/environment.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

constexpr int kRunsToLearnFrom = 40;
constexpr double kCachedRate = 500e9;  // a core faster than this took the sums from the cache

WorkRate workRateOf(const RunSpecification& s) { return methodOf(s).workRate(s); }

// Whether its calibration is that of all layers, and no gradients come on top.
bool sumsGramsAlone(const RunSpecification& s) {
    return s.layers == ".*" && needsGrams(s) && !usesOutputMetric(s) &&
           !methodOf(s).needsGradients();
}

}  // namespace

MeasuredRates MeasuredRates::ofThisMachine(const RunStore& store, const std::string& device) {
    nlohmann::json here = environmentRecord(device);
    RunFilter filter;
    filter.status = "finished";
    filter.includeArchived = true;
    filter.limit = kRunsToLearnFrom;
    MeasuredRates rates;
    for (const RunRow& run : store.list(filter)) {
        const auto there = store.environment(run.id);
        const auto same = [&](const char* field) {
            const auto found = there.find(field);
            const nlohmann::json& value = here.at(field);
            return found != there.end() && found->second == plainText(value);
        };
        if (!same("cpu") || !same("cores")) {
            continue;
        }
        if (const auto used = there.find("device"); here["device"] == "" && used != there.end()) {
            here["device"] = used->second;
        }
        if (!same("device")) {
            continue;
        }
        rates.learnEvaluations(run);
        try {
            const auto specification =
                runSpecificationFromJson(nlohmann::json::parse(run.specification));
            if (specification.derived) {
                continue;  // its times are those of the run that it was made of
            }
            const std::vector<MatrixRow> matrices = store.matrices(run.id);
            rates.learn(specification, matrices);
            if (sumsGramsAlone(specification)) {
                const nlohmann::json result = readRunJson(
                    std::filesystem::path(run.directory) / "result.json", "import the run again");
                rates.learnCalibration(specification.calibration, matrices,
                                       result.value("calibration_seconds", 0.0),
                                       here.at("cores").get<int>());
            }
        } catch (const std::exception&) {  // of another version: nothing to learn
        }
    }
    return rates;
}

void MeasuredRates::learn(const RunSpecification& specification,
                          const std::vector<MatrixRow>& matrices) {
    MatrixOptions done = specification;
    if (groupsLayers(done)) {
        return;  // what a layer took is its share of its unit's time
    }
    for (const MatrixRow& matrix : matrices) {
        done.iterations = static_cast<int>(matrix.iterations);
        const double work = solverWork(done, matrix.d1, matrix.d2);
        // A run of before 0.2 has no core-seconds; there a matrix had one core as a rule.
        const double seconds = matrix.coreSeconds > 0 ? matrix.coreSeconds : matrix.seconds;
        if (work > 0 && seconds > 0) {
            Sum& sum = m_sums[workRateOf(specification).family];
            sum.work += work;
            sum.seconds += seconds;
        }
    }
}

void MeasuredRates::learnCalibration(const CalibrationSpecification& calibration,
                                     const std::vector<MatrixRow>& matrices, double seconds,
                                     int cores) {
    std::vector<LayerInfo> layers;
    for (const MatrixRow& matrix : matrices) {
        LayerInfo layer;
        layer.d1 = matrix.d1;
        layer.d2 = matrix.d2;
        layer.gramKey = gramKeyOf(matrix.block, matrix.kind);
        layers.push_back(std::move(layer));
    }
    const double work = calibrationWork(calibration, layers);
    if (work <= 0 || seconds <= 0 || work / seconds / cores > kCachedRate) {
        return;
    }
    m_calibration.work += work;
    m_calibration.seconds += seconds * cores;
}

void MeasuredRates::learnEvaluations(const RunRow& run) {
    for (const EvaluationRow& evaluation : run.evaluations) {
        if (evaluation.tokens > 0 && std::isfinite(evaluation.seconds)) {
            Sum& sum = m_evaluations[run.modelSha256];
            sum.work += static_cast<double>(evaluation.tokens);
            sum.seconds += evaluation.seconds;
        }
    }
}

double MeasuredRates::tokensPerSecond(const std::string& modelSha256) const {
    const auto found = m_evaluations.find(modelSha256);
    return found == m_evaluations.end() || found->second.seconds <= 0
               ? 0
               : found->second.work / found->second.seconds;
}

double MeasuredRates::calibrationRate() const {
    return m_calibration.seconds > 0 ? m_calibration.work / m_calibration.seconds : 0;
}

double MeasuredRates::rate(const RunSpecification& specification) const {
    const auto found = m_sums.find(workRateOf(specification).family);
    return found == m_sums.end() ? 0 : found->second.work / found->second.seconds;
}

std::vector<JobEstimate> estimateSweep(const std::vector<SweepJob>& jobs,
                                       const MeasuredRates& rates, int cores, JobOrder order) {
    std::map<std::string, ModelInfo> models;
    std::map<std::string, std::int64_t> calibrated;  // so many blocks, by text and model
    TakenMatrices taken(order);
    std::vector<JobEstimate> estimates;
    for (const SweepJob& job : jobs) {
        const RunSpecification& s = job.specification;
        const bool isTaken = taken.areThereFor(job);
        JobEstimate& estimate = estimates.emplace_back();
        if (isDense(s)) {
            estimate.measured = true;
            continue;
        }
        const auto known = models.find(s.model);
        const ModelInfo& model = known != models.end()
                                     ? known->second
                                     : models.emplace(s.model, inspectModel(s.model)).first->second;
        const std::vector<LayerInfo> layers = selectLayers(model.layers, s.layers);
        estimate.matrices = static_cast<std::int64_t>(layers.size());
        const MatrixOptions& options = s;
        estimate.bytes = plannedStorage(options, layers).bytes();
        estimate.memoryBytes =
            memoryEstimate(s, layers, model.layers, static_cast<double>(model.parameters), cores);
        const double rate = rates.rate(s);
        estimate.measured = rate > 0;
        if (job.state == JobState::Finished) {
            continue;
        }
        const double left = isTaken ? 0
                                    : std::max(0.0, 1 - static_cast<double>(job.finishedMatrices) /
                                                            static_cast<double>(layers.size()));
        // The trials of an allocation come before the first matrix.
        const double trials = left > 0 && job.finishedMatrices == 0 ? allocationWork(s, layers) : 0;
        estimate.seconds = (trials + left * solverWork(s, layers)) /
                           (rate > 0 ? rate : workRateOf(s).perSecond) / cores;
        const double measured = rates.calibrationRate();
        const double forwardRate = measured > 0 ? measured : usualCalibrationRate();
        if (isTaken) {  // it is refined alone
            estimate.measured = measured > 0;
        }
        if (left > 0 && isCalibrated(s) && s.propagation == PropagationKind::Off) {
            const CalibrationOptions text = calibrationOptionsOf(s, model.layers);
            std::vector<LayerInfo> toDo = calibratedLayers(layers, model.layers);
            bool isCached = false;
            if (needsGrams(s)) {  // else its passes over the text leave nothing
                isCached = areGramsCached(gramCacheKey(s.modelSha256, text), text.blocks);
                // What an earlier run of the sweep leaves, the next ones find.
                std::int64_t& done = calibrated[sharedCalibrationKey(s)];
                std::erase_if(toDo, [&](const LayerInfo& layer) { return layer.block < done; });
                done = std::max(done, blocksUpTo(layers));
            }
            if (!isCached && !toDo.empty()) {
                estimate.calibrationSeconds =
                    calibrationWork(s.calibration, toDo) / forwardRate / cores;
                estimate.calibrationMeasured = measured > 0;
            }
        }
        estimate.seconds +=
            (left * propagationWork(s, model.layers) +
             (left > 0 ? gradientWork(s, model.layers) : 0) + refinementWork(s, model.layers)) /
            forwardRate / cores;
    }
    return estimates;
}

}  // namespace cospadi
