#include "core/methods/compress_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/methods/output_metric.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

struct PartError {
    double squared = 0;  // ‖L_i E_i‖²
    double size = 0;     // ‖L_i W_i‖²
};

// Of parts side by side, or one below the other where they share over their outputs.
std::vector<PartError> errorsOfParts(Backend& backend, const Eigen::MatrixXf& w,
                                     std::span<const UnitPart> parts, bool overOutputs,
                                     const StoredWeight& stored) {
    const Eigen::MatrixXf residual = w - stored.recomposed();
    std::vector<PartError> errors;
    Eigen::Index first = 0;
    for (const UnitPart& part : parts) {
        const auto squared = [&](const Eigen::MatrixXf& of) {
            const Eigen::MatrixXf layer = overOutputs
                                              ? Eigen::MatrixXf(of.middleRows(first, part.width))
                                              : Eigen::MatrixXf(of.middleCols(first, part.width));
            const Matrix own = backend.upload(whitenedIf(part.whitening, layer));
            return backend.dot(own, own);
        };
        errors.push_back({squared(residual), squared(w)});
        first += part.width;
    }
    return errors;
}

// weight(i): what the squared error of part i counts.
template <typename Weight>
double errorOfAll(const std::vector<PartError>& parts, const Weight& weight) {
    double error = 0;
    double whole = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        error += weight(i) * parts[i].squared;
        whole += weight(i) * parts[i].size;
    }
    return std::sqrt(error / whole);
}

struct FactorsOnBackend {
    Matrix left, right;  // W̃ = left · right
};

// Codes are large: those of the output side are turned round where they are used, not on the host.
std::optional<FactorsOnBackend> factorsOn(Backend& backend, const StoredWeight& stored) {
    if (const auto* sparse = dynamic_cast<const SparseDictionaryWeight*>(&stored)) {
        const Matrix dictionary = backend.upload(sparse->factors().dictionary);
        const Matrix codes = backend.upload(sparse->factors().codes);
        return sparse->factors().side == DictionarySide::Input
                   ? FactorsOnBackend{dictionary, codes}
                   : FactorsOnBackend{backend.transposed(codes), backend.transposed(dictionary)};
    }
    if (const auto product = stored.product()) {
        return FactorsOnBackend{backend.upload(product->left), backend.upload(product->right)};
    }
    return std::nullopt;
}

bool haveMetrics(std::span<const UnitPart> parts) {
    return !parts.empty() && std::all_of(parts.begin(), parts.end(), [](const UnitPart& part) {
        return part.whitening != nullptr;
    });
}

}  // namespace

CompressedMatrix compressMatrix(Backend& backend, const Eigen::MatrixXf& w,
                                const Whitening* whitening, const MatrixOptions& options,
                                const IterationCallback& callback, const std::stop_token& stop,
                                std::span<const UnitPart> parts, const Whitening* heldOut,
                                const OutputMetric* outputs, const Eigen::VectorXd* rowFisher) {
    const Method& method = *options.method;
    if (!w.allFinite()) {
        throw Error("the weight holds NaN or infinite values", "weight", "check the model file");
    }
    const bool byParts = method.solvesByParts(options) && !parts.empty();
    if (method.needsCalibration() && !(byParts ? haveMetrics(parts) : whitening != nullptr)) {
        throw Error(fmt::format("method {} needs calibration", method.name()), "method",
                    "give calibration text or use a data-free method");
    }
    if (method.needsGradients() && rowFisher == nullptr) {
        throw Error(fmt::format("method {} needs gradients of the loss, but this matrix has none",
                                method.name()),
                    "method", "calibrate the model for this method first, or use another method");
    }
    const std::optional<Whitening> ridged = ridgedMetric(backend, whitening, options);
    const Whitening* metric = ridged ? &*ridged : whitening;
    CompressedMatrix result =
        method.solve({backend, w, metric, options, byParts ? parts : std::span<const UnitPart>(),
                      heldOut, outputs, rowFisher},
                     callback, stop);
    if (result.termination != Termination::Cancelled) {
        if (byParts) {
            const std::vector<PartError> errors = errorsOfParts(
                backend, w, parts, options.side == DictionarySide::Output, *result.weight);
            const bool alike = method.weighsPartsAlike(options);
            result.relativeError = errorOfAll(errors, [&](std::size_t i) {
                return alike ? parts[i].cost / errors[i].size : 1.0;
            });
            if (parts.front().outputs != nullptr) {
                result.outputError =
                    errorOfAll(errors, [&](std::size_t i) { return parts[i].outputs->weight; });
            }
        } else {
            result.relativeError = storedError(backend, w, whitening, *result.weight);
        }
        if (heldOut != nullptr) {
            result.heldOutError = storedError(backend, w, heldOut, *result.weight);
        }
        if (outputs != nullptr) {
            result.outputError = outputNorm(w - result.weight->recomposed(), whitening, *outputs) /
                                 outputNorm(w, whitening, *outputs);
        }
    }
    return result;
}

std::optional<Whitening> ridgedMetric(Backend& backend, const Whitening* whitening,
                                      const MatrixOptions& options) {
    if (whitening == nullptr || options.ridge <= 0 || !options.method->needsCalibration()) {
        return std::nullopt;
    }
    return whitening->ridged(options.ridge, backend);
}

double storedError(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                   const StoredWeight& stored) {
    const auto whitened = [&](const Matrix& a) { return whitenedIf(backend, whitening, a); };
    const Matrix target = whitened(backend.upload(w));
    if (const auto factors = factorsOn(backend, stored)) {
        return productError(backend, target, whitened(factors->left), Op::None, factors->right);
    }
    const Matrix residual = whitened(backend.upload(w - stored.recomposed()));
    return relativeNorm(backend.dot(residual, residual), backend.dot(target, target));
}

}  // namespace cospadi
