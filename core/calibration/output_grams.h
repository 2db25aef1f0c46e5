// What errors of a layer's outputs cost the predictions: B = Σ g gᵀ over tokens, g the gradient of
// the loss on the calibration text with respect to the layer's output (core/gradients/backward.h).
//
// Beside the Gram of the inputs, A = Σ x xᵀ, it makes the second order of the loss,
//
//   KL(dense ‖ compressed) ≈ ½ tr(Eᵀ A E B) / (tokens of A · tokens of B)   nats a token, E = W − W̃
//
// of one layer: the Kronecker-factored Fisher information (Martens and Grosse 2015, K-FAC), with
// the labels of the text. No weight is trained and none changes.
//
// Gradients have heavy tails: a few tokens make up much of the sums. So the text is summed up in
// two halves, and what they have in common says how far B can be trusted: with X and Y the halves
// less the identity, each of mean diagonal 1, the share of (X + Y) / 2 that an independent text
// would repeat is ⟨X, Y⟩ / ‖(X + Y) / 2‖² (as Ledoit and Wolf 2004 shrink covariances).
//
// Layers that are narrower than their inputs, whose dictionary is over the outputs, get all of B
// (d2, d2); of others its diagonal is kept: there all of it would couple columns that stand alone.
//
// Text, resuming and cache: gradient_pass.h.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/calibration/gradient_pass.h"
#include "core/model/model.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

// B of a layer: all of it, or its diagonal alone; the other is empty.
struct OutputGram {
    Eigen::MatrixXd whole;     // (d2, d2), symmetric
    Eigen::VectorXd diagonal;  // (d2)
    double trust = 0;          // that share, between 0 and 1
};

// Mapped from files and unpacked when asked for. Immutable, so thread-safe.
class OutputGrams {
  public:
    std::int64_t tokens = 0;
    std::int64_t sequences = 0;
    bool fromCache = false;
    double seconds = 0;
    std::string cacheProblem;  // why the result could not be cached; empty where it could
    std::string cacheKey;      // hex; of model, text and how the sums are made

    // Error naming the layer where it is absent or damaged.
    OutputGram of(const std::string& layer) const;

  private:
    friend std::optional<OutputGrams> openOutputGrams(const std::filesystem::path& folder,
                                                      const std::string& key, const Model& model);
    struct Stored {
        TensorView values;
        double trust = 0;
        std::int64_t d2 = 0;
        bool isWhole = false;
    };
    std::map<std::string, Stored> m_grams;
};

// nullopt when cancelled. Progress counts sequences through blocks, there and back, stage
// "gradients". Errors as calibrate().
std::optional<OutputGrams> measureOutputGrams(const Model& model, ThreadPool& pool,
                                              const CalibrationOptions& calibration,
                                              const ProgressCallback& progress = {},
                                              const std::stop_token& stop = {});

}  // namespace cospadi
