// Merges of a SentencePiece BPE model, which stores a score for every piece instead of a merge
// list.
//
// SentencePiece joins the two neighbours whose join scores best, the leftmost among equals: all
// ways to split one piece share a rank. Hugging Face's conversion gives each way a rank of its own
// (longer left part first), which differs only where two ways overlap, in runs of one character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizer/vocabulary.h"

namespace cospadi {

struct ScoredMerge {
    std::string_view left, right;  // views of the vocabulary
    std::int32_t rank = 0;         // shared by the pieces of one score
};

// In the order of Hugging Face's conversion. scores: by id, higher is earlier; NaN is an Error.
// joinable: by id, whether the piece may come from a join (not control, unknown or byte tokens).
std::vector<ScoredMerge> sentencePieceMerges(const Vocabulary& vocabulary,
                                             const std::vector<double>& scores,
                                             const std::vector<bool>& joinable,
                                             const std::string& where);

}  // namespace cospadi
