// How much the loss depends on each input's weights: the empirical Fisher information of a layer's
// weight W (d1, d2), summed over the outputs,
//
//   f_i = Σ_j Î_ij,   Î_ij = Σ over sequences (∂L/∂w_ij)²,   ∂L/∂W = Σ over tokens x gᵀ
//
// with x (d1) the layer's input and g (d2) the gradient of the loss with respect to its output
// (core/gradients/backward.h), L the loss of one sequence. Labels are those of the text. What FWSVD
// weighs the rows of W by (arXiv 2207.00112). In double over sequences, float32 within one.
// Text, resuming and cache: gradient_pass.h; measured by calibrate() where
// CalibrationOptions::weightGradients asks for it.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/model/model.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

struct CalibrationOptions;

// Mapped from files. Immutable, so thread-safe.
class WeightGradients {
  public:
    bool fromCache = false;
    double seconds = 0;
    std::string cacheProblem;  // why the result could not be cached; empty where it could

    // f (d1). Error naming the layer where it is absent or damaged.
    Eigen::VectorXd rowSums(const std::string& layer) const;

  private:
    friend std::optional<WeightGradients> openWeightGradients(const std::filesystem::path& folder,
                                                              const std::string& key,
                                                              const Model& model);
    std::map<std::string, TensorView> m_rows;
};

// nullopt when cancelled. Progress and errors as sumGradients().
std::optional<WeightGradients> measureWeightGradients(const Model& model, ThreadPool& pool,
                                                      const CalibrationOptions& calibration,
                                                      const ProgressCallback& progress = {},
                                                      const std::stop_token& stop = {});

// f of a single layer, for a look at one matrix; nullopt where it is not cached.
std::optional<Eigen::VectorXd> readCachedRowSums(const std::string& modelSha256,
                                                 const CalibrationOptions& calibration,
                                                 const LayerInfo& layer);

}  // namespace cospadi
