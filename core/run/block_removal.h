// The part of a run that leaves blocks out (methods/block_method.h), before its first matrix: which
// ones, chosen by the calibration text, and what the last layer before them becomes. The choice
// stands in blocks.json (docs/formats.md), so that a run that goes on makes the same; from it every
// layer's stored weight follows without solving.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/methods/block_method.h"
#include "core/model/model.h"
#include "core/run/layer_problem.h"
#include "core/store/run_specification.h"

namespace cospadi {

// A row of blocks that is left out.
struct RemovedRow {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::vector<double> distances;  // of every place that it could have: first = 1 …
    // How far the hidden states behind the row are from the model's, relatively, where nothing
    // takes its place, and with the layer before it changed: on the fitted text, before rounding.
    double errorWithout = 0;
    double errorWith = 0;

    bool holds(std::int64_t block) const { return block >= first && block < first + count; }
};

class BlockRemoval {
  public:
    // specification: resolved, of a BlockMethod; it and the model must outlive this one.
    BlockRemoval(const RunSpecification& specification, const Model& model,
                 const std::filesystem::path& run);

    // Reads the choice, or makes and writes it; and finds the last layer before the row where that
    // is among the missing ones. False when cancelled. Errors as BlockMethod's, and for a file that
    // is not of this run.
    bool prepare(const std::vector<LayerInfo>& missing, ThreadPool& pool, DeviceProducts* products,
                 const ProgressCallback& progress, const std::stop_token& stop);

    const RemovedRow& row() const { return m_row; }

    // What is stored of a layer. Thread-safe once prepared.
    UnitProblem of(const LayerUnit& unit) const;

  private:
    bool choose(ThreadPool& pool, DeviceProducts* products, const ProgressCallback& progress,
                const std::stop_token& stop);
    void readChoice();
    void writeChoice() const;
    std::string lastLayer() const;  // its name

    const RunSpecification& m_specification;
    const BlockMethod& m_method;
    const Model& m_model;
    std::filesystem::path m_file;
    RemovedRow m_row;
    std::optional<Eigen::MatrixXf> m_changed;  // the last layer's weight, where it is missing
};

}  // namespace cospadi
