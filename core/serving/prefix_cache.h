// Sequences that were computed lately, so that a prompt that begins like one of them is computed
// only from where it differs.
//
// An entry keeps keys and values, the hidden state after every token, (hidden, tokens), and, where
// they were asked for, the scores of its tokens: a repeated prefix costs a copy and nothing else.
// Bounded by memory; the entry that was used least lately goes first. Not thread-safe.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "core/model/key_value_cache.h"
#include "core/serving/completion.h"

namespace cospadi {

struct ComputedSequence {
    std::vector<std::int32_t> ids;
    KeyValueCache cache;             // of all ids
    Eigen::MatrixXf hidden;          // (hidden, ids), after the final norm
    std::vector<TokenScore> scores;  // of the ids from the first; may be fewer
    int topTokens = 0;               // that stand beside each score

    std::int64_t bytes() const;
};

class PrefixCache {
  public:
    explicit PrefixCache(std::int64_t maxBytes) : m_maxBytes(maxBytes) {}

    struct Match {
        const ComputedSequence* sequence = nullptr;  // valid until the next insert()
        std::int64_t length = 0;                     // ids in common
    };
    // The entry with the longest common beginning; it counts as used.
    Match longest(std::span<const std::int32_t> ids);

    // Takes the sequence in, in the place of entries that are only its beginning. Not taken: what
    // an entry holds already, what shares more than half of itself with an entry that goes on
    // differently (the choices of one question: its context is there), and what is over the bound.
    void insert(ComputedSequence sequence);
    // Whether insert() would take it, so that nothing is copied in vain.
    bool wants(std::span<const std::int32_t> ids, std::int64_t bytes) const;

    std::int64_t bytes() const { return m_bytes; }
    std::size_t size() const { return m_entries.size(); }

  private:
    std::int64_t m_maxBytes;
    std::int64_t m_bytes = 0;
    std::list<ComputedSequence> m_entries;  // used latest first
};

}  // namespace cospadi
