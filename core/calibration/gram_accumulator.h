// Gram matrices G = Σ x xᵀ of linear layers' inputs, summed in double, chunk by chunk.
//
// Not divided by the number of tokens. Memory: the d1×d1 sums and one chunk in double, whatever the
// number of tokens. Not thread-safe; uses the pool inside accumulate().
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"

namespace cospadi {

class GramAccumulator {
  public:
    explicit GramAccumulator(ThreadPool& pool) : m_pool(pool) {}

    // Adds X Xᵀ for X (d1, N) under `key`. NaN or infinity in X is a cospadi::Error that names key
    // and sequence: column i belongs to sequence firstSequence + i / length.
    void accumulate(const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X,
                    std::int64_t firstSequence, std::int64_t length);

    // The full symmetric matrices; leaves the accumulator empty.
    std::map<std::string, Eigen::MatrixXd> take();

  private:
    ThreadPool& m_pool;
    std::vector<double> m_chunk;  // grown, never shrunk
    std::map<std::string, Eigen::MatrixXd> m_upper;
};

}  // namespace cospadi
