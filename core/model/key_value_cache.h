// Keys and values of one sequence, block by block, so that its continuation costs only the new
// tokens. Filled by ForwardPass::extend(); keys are kept rotated.
//
// Memory: bytesOfToken() a token, grown by doubling up to what it is told it will hold. Copyable: a
// copy continues on its own. Not thread-safe; belongs to the model whose configuration it was made
// from.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/model/model_config.h"

namespace cospadi {

class KeyValueCache {
  public:
    static constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

    // mostTokens: room for more than these is not made ahead of need.
    explicit KeyValueCache(const ModelConfig& config, std::int64_t mostTokens = kNoBound);

    // Of a single block, which is block 0 there: for ForwardPass::extendBlock().
    static KeyValueCache ofOneBlock(const ModelConfig& config);

    // 2 · blocks · keyValueHeads · headDim floats.
    static std::int64_t bytesOfToken(const ModelConfig& config);

    std::int64_t length() const { return m_length; }  // tokens held
    // A cache of its own with the first `tokens` tokens and no room to spare; more than held is an
    // Error.
    KeyValueCache firstTokens(std::int64_t tokens, std::int64_t mostTokens = kNoBound) const;
    std::int64_t bytes() const;  // of memory, room to spare included

    // For ForwardPass: room for more tokens, what a block holds (columns are positions; valid up to
    // length() and what was written since), and the tokens that all blocks now have.
    void reserve(std::int64_t tokens);
    Eigen::MatrixXf& keys(std::int64_t block);    // (keyValueHeads·headDim, capacity)
    Eigen::MatrixXf& values(std::int64_t block);  // the same shape
    void advance(std::int64_t tokens) { m_length += tokens; }

  private:
    KeyValueCache(std::int64_t rows, std::int64_t blocks, std::int64_t mostTokens);
    KeyValueCache(const KeyValueCache& other, std::int64_t tokens, std::int64_t mostTokens);

    std::int64_t m_rows;
    std::int64_t m_length = 0;
    std::int64_t m_capacity = 0;
    std::int64_t m_mostTokens = kNoBound;
    std::vector<Eigen::MatrixXf> m_keys;
    std::vector<Eigen::MatrixXf> m_values;
};

}  // namespace cospadi
