#include "core/run/layer_compression.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/methods/compress_matrix.h"

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
    record.replacedAtoms = compressed.replacedAtoms;
    record.iterations = compressed.iterations;
    return record;
}

DeviceError inLayer(const DeviceError& error, const LayerInfo& layer) {
    return {error.problem(), layer.name + ", " + error.where(), error.hint()};
}

LayerProblem problemOf(Backend& backend, const LayerInfo& layer, const LayerProblemSource& source) {
    try {
        return source(layer, backend);
    } catch (const DeviceError& error) {
        throw inLayer(error, layer);
    }
}

}  // namespace

MatrixOptions LayerCompression::optionsOf(const LayerInfo& layer) const {
    MatrixOptions options = matrixOptionsOf(m_specification);
    if (const auto ratio = m_ratios.find(layer.name); ratio != m_ratios.end()) {
        options.cr = ratio->second;
    }
    return options;
}

std::optional<MatrixRecord> LayerCompression::compress(Backend& backend, int cores,
                                                       const LayerInfo& layer,
                                                       const LayerProblemSource& source) const {
    passGate(m_gate, m_stop);
    if (m_stop.stop_requested()) {
        return std::nullopt;
    }
    // Not a WorkClock: after "pause" this matrix still finishes its iteration.
    const Stopwatch clock;
    double waited = 0;
    const MatrixOptions options = optionsOf(layer);
    const LayerProblem problem = problemOf(backend, layer, source);
    const Whitening* whitening = problem.whitening ? &*problem.whitening : nullptr;
    if (whitening != nullptr) {
        warnOfMetric(layer, *whitening);
    }
    CompressedMatrix compressed;
    try {
        m_report.matrixStarted(layer, options);
        compressed = compressMatrix(
            backend, problem.target ? *problem.target : problem.weight, whitening, options,
            [&](const IterationSummary& summary) {
                m_report.iteration(layer.name, summary);
                waited += passGate(m_gate, m_stop);
            },
            m_stop);
    } catch (const DeviceError& error) {
        throw inLayer(error, layer);
    } catch (const Error& error) {
        throw Error(error.problem(), layer.name + ", " + error.where(), error.hint());
    }
    if (compressed.termination == Termination::Cancelled) {
        return std::nullopt;
    }
    warnOfRounding(layer, options, compressed);
    MatrixRecord record = recordOf(layer, compressed);
    if (whitening != nullptr) {
        record.gramShift = whitening->shift();
        record.pivotRatio = whitening->pivotRatio();
    }
    if (problem.target) {
        record.targetError = compressed.relativeError;
        record.relativeError = storedError(backend, problem.weight, whitening, *compressed.weight);
    }
    record.seconds = clock.seconds() - waited;
    record.coreSeconds = record.seconds * cores;
    store(layer, *compressed.weight, record);
    m_report.matrixFinished(record);
    return record;
}

void LayerCompression::warnOfMetric(const LayerInfo& layer, const Whitening& whitening) const {
    if (whitening.shift() > 0) {
        m_report.warning(layer.name,
                         fmt::format("Gram not positive definite: {:.3g} added to its diagonal",
                                     whitening.shift()));
    } else if (whitening.pivotRatio() < Whitening::kSmallestPivotRatio) {
        m_report.warning(layer.name,
                         fmt::format("inputs are nearly dependent (pivots of the Gram differ by "
                                     "{:.1g}); more calibration text would tell them apart",
                                     whitening.pivotRatio()));
    }
}

void LayerCompression::warnOfRounding(const LayerInfo& layer, const MatrixOptions& options,
                                      const CompressedMatrix& compressed) const {
    if (compressed.solvedError > 0 && options.ridge == 0 &&
        compressed.relativeError > kRoundingWarning * compressed.solvedError &&
        compressed.relativeError > kRoundingMatters) {
        m_report.warning(layer.name,
                         fmt::format("rounding to its storage form raised its error from {:.4f} to "
                                     "{:.4f}; more coefficient bits, or a smaller ρ, keep it",
                                     compressed.solvedError, compressed.relativeError));
    }
}

void LayerCompression::store(const LayerInfo& layer, const StoredWeight& weight,
                             MatrixRecord& record) const {
    m_writer.writeMatrix(weight, record);
    if (!m_writer.readMatrix(layer.name).weight->equals(weight)) {
        throw Error("its file does not give back the weight that was measured", layer.name,
                    "check the disk; if it is sound, report this as a defect");
    }
}

}  // namespace cospadi
