#include "core/tokenizer/sentencepiece_merges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

constexpr std::size_t kLongestPiece = 1024;  // bytes; SentencePiece's own limit is far lower

struct Way {
    std::string_view left, right;
    std::int32_t leftId, rightId;
    std::size_t leftLength, rightLength;  // in characters
};

// All ways to split the piece into two, ordered by the ids of the parts.
std::vector<Way> waysToSplit(std::string_view piece, const Vocabulary& vocabulary,
                             const std::vector<bool>& joinable) {
    std::vector<Way> ways;
    const auto isPart = [&](std::int32_t id) {
        return id >= 0 && joinable[static_cast<std::size_t>(id)];
    };
    std::size_t characters = 0;
    for (std::size_t at = 0; at < piece.size();) {
        at += characterAt(piece, at).length;
        ++characters;
        const std::string_view left = piece.substr(0, at);
        const std::string_view right = piece.substr(at);
        const std::int32_t leftId = vocabulary.idOf(left);
        const std::int32_t rightId = vocabulary.idOf(right);
        if (isPart(leftId) && isPart(rightId) && !right.empty()) {
            ways.push_back({left, right, leftId, rightId, characters, 0});
        }
    }
    for (Way& way : ways) {
        way.rightLength = characters - way.leftLength;
    }
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
        return std::pair(a.leftId, a.rightId) < std::pair(b.leftId, b.rightId);
    });
    return ways;
}

}  // namespace

std::vector<ScoredMerge> sentencePieceMerges(const Vocabulary& vocabulary,
                                             const std::vector<double>& scores,
                                             const std::vector<bool>& joinable,
                                             const std::string& where) {
    struct Scored {
        double score;
        Way way;
    };
    std::vector<Scored> all;
    for (std::int32_t id = 0; id < static_cast<std::int32_t>(scores.size()); ++id) {
        const std::string_view piece = vocabulary.textOf(id);
        const double score = scores[static_cast<std::size_t>(id)];
        if (std::isnan(score) || piece.size() > kLongestPiece) {
            throw Error(fmt::format("the piece {} is longer than {} bytes or has no score", id,
                                    kLongestPiece),
                        where, "fetch the model again");
        }
        if (joinable[static_cast<std::size_t>(id)]) {
            for (const Way& way : waysToSplit(piece, vocabulary, joinable)) {
                all.push_back({score, way});
            }
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) {
        return std::tuple(a.score, a.way.leftLength, a.way.rightLength) >
               std::tuple(b.score, b.way.leftLength, b.way.rightLength);
    });
    std::vector<ScoredMerge> merges;
    merges.reserve(all.size());
    std::int32_t rank = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        rank += i > 0 && all[i].score < all[i - 1].score ? 1 : 0;
        merges.push_back({all[i].way.left, all[i].way.right, rank});
    }
    return merges;
}

}  // namespace cospadi
