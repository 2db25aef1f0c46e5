#include "core/tokenizer/split_behavior.h"

#include <algorithm>

#include "core/base/error.h"

namespace cospadi {

namespace {

std::string_view joined(std::string_view first, std::string_view second) {
    return {first.data(), first.size() + second.size()};
}

using Pieces = std::vector<std::string_view>;

Pieces separately(const std::vector<Stretch>& stretches, bool withMatches) {
    Pieces pieces;
    for (const Stretch& stretch : stretches) {
        if (withMatches || !stretch.isMatch) {
            pieces.push_back(stretch.text);
        }
    }
    return pieces;
}

Pieces contiguous(const std::vector<Stretch>& stretches) {
    Pieces pieces;
    bool previous = false;
    for (const Stretch& stretch : stretches) {
        if (stretch.isMatch == previous && !pieces.empty()) {
            pieces.back() = joined(pieces.back(), stretch.text);
        } else {
            pieces.push_back(stretch.text);
        }
        previous = stretch.isMatch;
    }
    return pieces;
}

Pieces mergedWithPrevious(const std::vector<Stretch>& stretches) {
    Pieces pieces;
    bool previous = false;
    for (const Stretch& stretch : stretches) {
        if (stretch.isMatch && !previous && !pieces.empty()) {
            pieces.back() = joined(pieces.back(), stretch.text);
        } else {
            pieces.push_back(stretch.text);
        }
        previous = stretch.isMatch;
    }
    return pieces;
}

Pieces mergedWithNext(const std::vector<Stretch>& stretches) {
    Pieces pieces;
    bool next = false;
    for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
        if (stretch->isMatch && !next && !pieces.empty()) {
            pieces.back() = joined(stretch->text, pieces.back());
        } else {
            pieces.push_back(stretch->text);
        }
        next = stretch->isMatch;
    }
    std::reverse(pieces.begin(), pieces.end());
    return pieces;
}

}  // namespace

SplitBehavior splitBehaviorNamed(const std::string& name, const std::string& where) {
    for (const auto& [known, value] :
         {std::pair{"Isolated", SplitBehavior::Isolated},
          std::pair{"Removed", SplitBehavior::Removed},
          std::pair{"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
          std::pair{"MergedWithNext", SplitBehavior::MergedWithNext},
          std::pair{"Contiguous", SplitBehavior::Contiguous}}) {
        if (name == known) {
            return value;
        }
    }
    throw Error("the split behavior \"" + name + "\" is not known", where,
                "known: Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous");
}

std::vector<std::string_view> piecesOf(const std::vector<Stretch>& stretches,
                                       SplitBehavior behavior) {
    Pieces pieces;
    switch (behavior) {
        case SplitBehavior::Removed:
        case SplitBehavior::Isolated:
            pieces = separately(stretches, behavior == SplitBehavior::Isolated);
            break;
        case SplitBehavior::MergedWithPrevious:
            pieces = mergedWithPrevious(stretches);
            break;
        case SplitBehavior::MergedWithNext:
            pieces = mergedWithNext(stretches);
            break;
        case SplitBehavior::Contiguous:
            pieces = contiguous(stretches);
            break;
    }
    std::erase_if(pieces, [](std::string_view piece) { return piece.empty(); });
    return pieces;
}

}  // namespace cospadi
