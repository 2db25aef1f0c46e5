#include "core/run/layer_compression.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/methods/compress_matrix.h"
#include "core/run/cost_estimate.h"

namespace cospadi {

namespace {

constexpr double kRoundingWarning = 2;     // times the error before it
constexpr double kRoundingMatters = 0.02;  // relative error from which on a model feels it

MatrixRecord recordOf(const LayerInfo& layer, const CompressedMatrix& compressed) {
    MatrixRecord record;
    record.name = layer.name;
    record.kind = layer.kind;
    record.block = static_cast<int>(layer.block);
    record.d1 = layer.d1;
    record.d2 = layer.d2;
    record.denseBytes = 2 * layer.d1 * layer.d2;
    record.sourceType = layer.storedDtype;
    record.sourceBytes = layer.storedBytes;
    record.relativeError = compressed.relativeError;
    record.heldOutError = compressed.heldOutError;
    record.replacedAtoms = compressed.replacedAtoms;
    record.iterations = compressed.iterations;
    return record;
}

DeviceError inUnit(const DeviceError& error, const std::string& unit) {
    return {error.problem(), unit + ", " + error.where(), error.hint()};
}

UnitProblem problemOf(Backend& backend, const LayerUnit& unit, const UnitProblemSource& source) {
    try {
        return source(unit, backend);
    } catch (const DeviceError& error) {
        throw inUnit(error, unit.id());
    }
}

std::vector<StoredWeightPtr> weightsOf(const LayerUnit& unit, const StoredWeightPtr& whole) {
    return unit.isShared() ? whole->split(unit.widths()) : std::vector<StoredWeightPtr>{whole};
}

}  // namespace

MatrixOptions optionsOf(const RunSpecification& specification,
                        const std::map<std::string, AllocatedLayer>& allocation,
                        const LayerUnit& unit) {
    MatrixOptions options = optionsOfUnit(specification, unit);
    if (const auto own = allocation.find(unit.id()); own != allocation.end()) {
        options.cr = own->second.cr;
        options.rho = own->second.rho.value_or(options.rho);
    }
    return options;
}

CompressedMatrix LayerCompression::solve(Backend& backend, const LayerUnit& unit,
                                         const UnitProblem& problem, const MatrixOptions& options,
                                         double& waited) const {
    try {
        m_report.unitStarted(unit, options);
        if (problem.found) {
            return {.weight = problem.found,
                    .relativeError = std::numeric_limits<double>::quiet_NaN(),
                    .termination = Termination::Converged};
        }
        const std::vector<UnitPart> parts = problem.parts();
        const std::optional<Eigen::VectorXd> rowFisher = problem.rowFisher();
        const double ofAnIteration = shareOfAnIteration(options, unit);
        return compressMatrix(
            backend, problem.target(), problem.metric(), options,
            [&](const IterationSummary& summary) {
                m_report.iteration(unit, summary);
                m_reached(unit, ofAnIteration * summary.iteration);
                waited += passGate(m_gate, m_stop);
            },
            m_stop, parts, problem.heldOut(), problem.outputs(), rowFisher ? &*rowFisher : nullptr);
    } catch (const DeviceError& error) {
        throw inUnit(error, unit.id());
    } catch (const Error& error) {
        throw Error(error.problem(), unit.id() + ", " + error.where(), error.hint());
    }
}

std::vector<MatrixRecord> LayerCompression::compress(Backend& backend, int cores,
                                                     const LayerUnit& unit,
                                                     const UnitProblemSource& source) const {
    passGate(m_gate, m_stop);
    if (m_stop.stop_requested()) {
        return {};
    }
    // Not a WorkClock: after "pause" this matrix still finishes its iteration.
    const Stopwatch clock;
    double waited = 0;
    const MatrixOptions options = optionsOf(m_specification, m_allocation, unit);
    m_reached(unit, 0);
    const UnitProblem problem = problemOf(backend, unit, source);
    if (problem.metric() != nullptr) {
        warnOfMetric(unit.id(), *problem.metric());
    } else {
        for (std::size_t i = 0; i < unit.layers.size(); ++i) {
            if (const auto& own = problem.layers[i].whitening) {
                warnOfMetric(unit.layers[i].name, *own);
            }
        }
    }
    const CompressedMatrix compressed = solve(backend, unit, problem, options, waited);
    if (compressed.termination == Termination::Cancelled) {
        return {};
    }
    warnOfRounding(unit.id(), options, compressed);
    const std::vector<StoredWeightPtr> weights = weightsOf(unit, compressed.weight);
    std::vector<MatrixRecord> records;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        records.push_back(measured(backend, unit.layers[i], problem.layers[i], *weights[i],
                                   compressed, unit.isShared()));
    }
    // A layer's part of the time is that of its entries.
    const double seconds = clock.seconds() - waited;
    for (MatrixRecord& record : records) {
        const double share = static_cast<double>(record.d1) * static_cast<double>(record.d2) /
                             static_cast<double>(problem.target().size());
        record.seconds = seconds * share;
        record.coreSeconds = record.seconds * cores;
        if (compressed.phases) {
            record.phases = {compressed.phases->coding * share,
                             compressed.phases->dictionary * share};
        }
    }
    m_matrices.write(unit, weights, records);
    for (const MatrixRecord& record : records) {
        m_report.matrixFinished(record);
    }
    return records;
}

MatrixRecord LayerCompression::measured(Backend& backend, const LayerInfo& layer,
                                        const LayerProblem& problem, const StoredWeight& weight,
                                        const CompressedMatrix& compressed, bool isShared) const {
    MatrixRecord record = recordOf(layer, compressed);
    const Whitening* whitening = problem.whitening ? &*problem.whitening : nullptr;
    if (whitening != nullptr) {
        record.gramShift = whitening->shift();
        record.pivotRatio = whitening->pivotRatio();
    }
    if (problem.target) {
        record.targetError = compressed.relativeError;
    }
    if (problem.target || isShared) {
        record.relativeError = storedError(backend, problem.weight, whitening, weight);
        if (problem.heldOut) {
            record.heldOutError = storedError(backend, problem.weight, &*problem.heldOut, weight);
        }
    }
    return record;
}

void LayerCompression::warnOfMetric(const std::string& layer, const Whitening& whitening) const {
    if (whitening.shift() > 0) {
        m_report.warning(layer,
                         fmt::format("Gram not positive definite: {:.3g} added to its diagonal",
                                     whitening.shift()));
    } else if (whitening.pivotRatio() < Whitening::kSmallestPivotRatio) {
        m_report.warning(layer,
                         fmt::format("inputs are nearly dependent (pivots of the Gram differ by "
                                     "{:.1g}); use more calibration text to separate them",
                                     whitening.pivotRatio()));
    }
}

void LayerCompression::warnOfRounding(const std::string& layer, const MatrixOptions& options,
                                      const CompressedMatrix& compressed) const {
    const double stored = compressed.outputError.value_or(compressed.relativeError);
    if (compressed.solvedError > 0 && options.ridge == 0 &&
        stored > kRoundingWarning * compressed.solvedError && stored > kRoundingMatters) {
        m_report.warning(
            layer, fmt::format("rounding to its storage form raised its error from {:.4f} to "
                               "{:.4f}; use more coefficient bits, or a smaller ρ, to avoid this",
                               compressed.solvedError, stored));
    }
}

}  // namespace cospadi
