// Sums over the backward pass of a calibration text (core/gradients/backward.h): of the loss on
// each token that follows, natural logarithm, each sequence by itself.
//
// The text is the beginning of the calibration's own draw, at most kGradientSequences of those that
// are fitted. As in calibration, blocks are passed one after the other over all sequences, forward
// and then back, with the residual streams in files: one block's sums are in memory, and a finished
// block is a point to resume from. What is summed is a GradientSums; each kind has a folder of the
// cache to itself.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/model/model.h"

namespace cospadi {

inline constexpr std::int64_t kGradientSequences = 32;

// How many sequences of this calibration gradients are measured on.
std::int64_t gradientSequences(const CalibrationOptions& calibration);

// What is written of a block: F64 tensors by name, in this order.
using BlockSums = std::vector<std::pair<std::string, std::vector<double>>>;

class GradientSums {
  public:
    GradientSums() = default;
    virtual ~GradientSums() = default;
    GradientSums(const GradientSums&) = delete;
    GradientSums& operator=(const GradientSums&) = delete;

    // X (d1, N) and dY (d2, N) of whole sequences, the first of them firstSequence; never of both
    // halves of the text, of which the second begins with sequence gradientSequences() / 2. Throws
    // Error naming the layer where they are not finite.
    virtual void add(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& X,
                     const Eigen::Ref<const Eigen::MatrixXf>& dY, std::int64_t firstSequence) = 0;
    // Of all layers of this block; leaves nothing behind.
    virtual BlockSums take(std::int64_t block) = 0;
    virtual void clear() = 0;
};

// Which sums of which model and text a folder of the cache holds.
struct GradientCache {
    std::string format;  // of the files, with its version
    std::string key;     // SHA-256 over format, model, text and how it is drawn
};

GradientCache gradientCache(const char* format, const std::string& modelSha256,
                            const CalibrationOptions& calibration);

// Fills `folder` with a file a block (gramBlockFile()); goes on where an earlier attempt stopped.
// False when cancelled. Progress counts sequences through blocks, there and back, stage
// "gradients".
bool sumGradients(const Model& model, ThreadPool& pool, const CalibrationOptions& calibration,
                  const GradientCache& cache, const std::filesystem::path& folder,
                  GradientSums& sums, const ProgressCallback& progress,
                  const std::stop_token& stop);

}  // namespace cospadi
