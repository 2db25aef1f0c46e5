// A method whose unit is no layer but a row of blocks: it leaves n consecutive blocks out of the
// model, and may change the last layer before them. Where the row begins is found by how far each
// row turns the hidden states of the calibration text (calibration/block_statistics.h); which
// bytes are left follows from n alone, as all blocks are alike:
//
//   CR = n / blocks,   bytes = those of the linear layers of the blocks that stay.
//
// A run stores every layer that stays (form `dense`), and that a layer is none of them (form
// `removed`), so that bytes, resume, archives and exports are as for any other run.
#pragma once

#include "core/calibration/block_statistics.h"
#include "core/methods/method.h"
#include "core/model/model_config.h"

namespace cospadi {

class BlockMethod : public Method {
  public:
    const BlockMethod* asBlockMethod() const final { return this; }

    // n: how many of so many blocks are left out. Throws Error naming the setting that asks for
    // none, or for so many that no block is left before the row.
    virtual std::int64_t blocksLeftOut(const MatrixOptions& options, std::int64_t blocks) const = 0;
    // Throws Error for a model that it cannot change so, or a text of too few tokens for it.
    virtual void requireModel(const MatrixOptions& options, const ModelConfig& config,
                              std::int64_t tokens) const = 0;
    // Where the row begins, by the distance of each place, first = 1 …: the least; of equal ones
    // the first. Precondition: there is one.
    std::int64_t firstLeftOut(const std::vector<double>& distances) const;
    // The map T (hidden, hidden) of M, what the MLP before the row adds, that takes the row's
    // place. Throws Error where the sums do not determine it.
    virtual Eigen::MatrixXd transform(const MatrixOptions& options, const RowSums& sums) const = 0;

    const char* form() const final;
    bool needsCalibration() const final { return true; }
    // Of a layer that stays.
    StoragePlan plan(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const final;
    double work(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const final;
    WorkRate workRate(const MatrixOptions& options) const final;
    // Throws Error: there is nothing for a layer by itself.
    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& callback,
                           const std::stop_token& stop) const final;
};

// ‖Δ − M (T − I)‖_F / ‖h‖_F, by the sums: how far the hidden states behind the row are from those
// of the model that has it; with T = I where nothing takes its place.
double hiddenError(const RowSums& sums, const Eigen::MatrixXd& transform);

// W̃ = W T of the last layer before the row, W (d1, hidden), which gives M out.
Eigen::MatrixXf withTransform(const Eigen::MatrixXf& w, const Eigen::MatrixXd& transform);

// Throws Error where the method has nothing for a layer by itself.
void requireLayerMethod(const Method& method);

}  // namespace cospadi
