// In which metric errors of a layer's outputs count, beside that of its inputs:
//
//   ‖L E Rᵀ‖²,   E = W − W̃ (d1, d2),  LᵀL = A of the inputs,  RᵀR = B̄ of the outputs.
//
// B̄ = α B / b + (1 − α) I, b the mean diagonal of B and α = (1 − λ) times what another text would
// repeat of it (OutputGram::trust): every direction keeps the weight λ at least.
//
// The paper has R = I: every output counts alike. With the gradients' B the squared error is, up to
// a factor, the second order of the loss itself (core/calibration/output_grams.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/calibration/output_grams.h"
#include "core/linalg/whitening.h"
#include "core/methods/matrix_options.h"

namespace cospadi {

struct OutputMetric {
    Whitening factor;         // R, of B̄; mean diagonal 1
    bool isDiagonal = false;  // of layers that are no narrower than their inputs
    // b a token: with it ½ b ‖L E Rᵀ‖² / (tokens of A) nats a token are expected to be lost.
    double weight = 1;
};

inline constexpr double kOutputShrinkage = 0.05;  // λ

// Throws Error naming the layer where no gradient reached it.
OutputMetric outputMetric(const OutputGrams& grams, const std::string& layer, Backend& backend);

// That of its diagonal, whatever the layer: where columns stand alone, or b alone counts.
OutputMetric diagonalOutputMetric(const OutputGrams& grams, const std::string& layer);

// That of layers side by side, where columns stand alone: each layer's diagonal, times what its
// errors cost beside the others'. layers: not empty.
OutputMetric sideBySide(const std::vector<const OutputMetric*>& layers, const std::string& unit);

// The option of methods that can solve in it: none, or fisher. In a list by itself.
const std::vector<Option>& outputMetricOptions();
// Whether the options ask for it, and whether their method solves in it then.
bool asksForOutputMetric(const MatrixOptions& options);
bool usesOutputMetric(const MatrixOptions& options);
MatrixOptions withoutOutputMetric(MatrixOptions options);

// ‖L E Rᵀ‖ for any E (d1, d2); whitening null: L = I.
double outputNorm(const Eigen::MatrixXf& e, const Whitening* whitening,
                  const OutputMetric& outputs);

}  // namespace cospadi
