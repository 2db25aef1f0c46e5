// What rows of blocks do to the hidden states of a calibration text: how far each row turns them,
// and the sums from which a linear map in the place of one row is fitted.
//
// h_b is the residual stream behind block b, a token a column, (hidden, N); a row of n blocks that
// begins with block `first` ≥ 1 makes h_{first+n−1} of h_{first−1}. Texts are those of
// calibration.h: each sequence by itself, sums over those that are fitted. Memory: the hidden
// states of n + 1 blocks for one batch; sums in double. Results do not depend on the number of
// threads. Errors: cospadi::Error naming the block where a sum is not finite.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/model/model.h"

namespace cospadi {

// The mean over tokens of 1 − cos(h_{first−1}, h_{first+n−1}), of first = 1 … blocks − n in turn.
// n ≥ 1. nullopt when cancelled. Progress counts sequences through blocks, stage "calibration".
std::optional<std::vector<double>> blockDistances(const Model& model, ThreadPool& pool,
                                                  const CalibrationOptions& options, std::int64_t n,
                                                  const ProgressCallback& progress = {},
                                                  const std::stop_token& stop = {},
                                                  DeviceProducts* products = nullptr);

// Sums over N tokens, a token a row: M (N, hidden) what the MLP of block first − 1 adds to the
// stream, and Δ = h_{first+n−1} − h_{first−1} (N, hidden) what the row adds to it.
struct RowSums {
    std::int64_t tokens = 0;
    Eigen::MatrixXd outputs;  // MᵀM (hidden, hidden)
    Eigen::MatrixXd cross;    // MᵀΔ (hidden, hidden)
    double change = 0;        // ‖Δ‖_F²
    double after = 0;         // ‖h_{first+n−1}‖_F²
};

// As above.
std::optional<RowSums> sumsOfRow(const Model& model, ThreadPool& pool,
                                 const CalibrationOptions& options, std::int64_t first,
                                 std::int64_t n, const ProgressCallback& progress = {},
                                 const std::stop_token& stop = {},
                                 DeviceProducts* products = nullptr);

}  // namespace cospadi
