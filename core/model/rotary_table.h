// Cosines and sines of the rotary position embedding, for at least as many positions as were asked
// for. Not thread-safe while it grows.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/model/model_config.h"

namespace cospadi {

class RotaryTable {
  public:
    explicit RotaryTable(const ModelConfig& config) : m_frequencies(config.inverseFrequencies()) {}

    void growTo(std::int64_t positions);
    // Of one head at this position: x (headDim), its halves in pairs.
    void rotate(float* x, std::int64_t position) const;
    // What rotate() does, undone: its transpose.
    void rotateBack(float* x, std::int64_t position) const;

  private:
    std::vector<double> m_frequencies;
    Eigen::MatrixXf m_cosine, m_sine, m_negativeSine;  // (headDim/2, positions)
};

}  // namespace cospadi
