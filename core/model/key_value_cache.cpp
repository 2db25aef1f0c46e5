#include "core/model/key_value_cache.h"

#include <algorithm>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr std::int64_t kSmallestCapacity = 16;

}  // namespace

KeyValueCache::KeyValueCache(std::int64_t rows, std::int64_t blocks, std::int64_t mostTokens)
    : m_rows(rows),
      m_mostTokens(mostTokens),
      m_keys(static_cast<std::size_t>(blocks)),
      m_values(static_cast<std::size_t>(blocks)) {}

KeyValueCache::KeyValueCache(const ModelConfig& config, std::int64_t mostTokens)
    : KeyValueCache(config.keyValueHeads * config.headDim, config.blocks, mostTokens) {}

KeyValueCache KeyValueCache::ofOneBlock(const ModelConfig& config) {
    return {config.keyValueHeads * config.headDim, 1, kNoBound};
}

std::int64_t KeyValueCache::bytesOfToken(const ModelConfig& config) {
    return 2 * static_cast<std::int64_t>(sizeof(float)) * config.blocks * config.keyValueHeads *
           config.headDim;
}

KeyValueCache KeyValueCache::firstTokens(std::int64_t tokens, std::int64_t mostTokens) const {
    if (tokens < 0 || tokens > m_length) {
        throw Error("the cache holds fewer tokens than requested", "key/value cache",
                    "this is a bug; please report it");
    }
    return {*this, tokens, mostTokens};
}

KeyValueCache::KeyValueCache(const KeyValueCache& other, std::int64_t tokens,
                             std::int64_t mostTokens)
    : m_rows(other.m_rows), m_length(tokens), m_capacity(tokens), m_mostTokens(mostTokens) {
    for (std::size_t block = 0; block < other.m_keys.size(); ++block) {
        m_keys.emplace_back(other.m_keys[block].leftCols(tokens));
        m_values.emplace_back(other.m_values[block].leftCols(tokens));
    }
}

std::int64_t KeyValueCache::bytes() const {
    return 2 * static_cast<std::int64_t>(m_keys.size() * sizeof(float)) * m_rows * m_capacity;
}

void KeyValueCache::reserve(std::int64_t tokens) {
    if (tokens <= m_capacity) {
        return;
    }
    const std::int64_t ahead = std::max(2 * m_capacity, kSmallestCapacity);
    const std::int64_t capacity = std::max(tokens, std::min(ahead, m_mostTokens));
    const auto grow = [&](Eigen::MatrixXf& held) {
        Eigen::MatrixXf larger(m_rows, capacity);
        if (m_length > 0) {
            larger.leftCols(m_length) = held.leftCols(m_length);
        }
        held = std::move(larger);
    };
    std::for_each(m_keys.begin(), m_keys.end(), grow);
    std::for_each(m_values.begin(), m_values.end(), grow);
    m_capacity = capacity;
}

Eigen::MatrixXf& KeyValueCache::keys(std::int64_t block) {
    return m_keys[static_cast<std::size_t>(block)];
}

Eigen::MatrixXf& KeyValueCache::values(std::int64_t block) {
    return m_values[static_cast<std::size_t>(block)];
}

}  // namespace cospadi
