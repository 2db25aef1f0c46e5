// What a Split does with the matches of its pattern.
#pragma once

#include <string>
#include <vector>

#include "core/tokenizer/text_pattern.h"

namespace cospadi {

enum class SplitBehavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

// "Isolated" and so on; unknown names are an Error.
SplitBehavior splitBehaviorNamed(const std::string& name, const std::string& where);

// The pieces, none empty. The stretches are neighbours in one text.
std::vector<std::string_view> piecesOf(const std::vector<Stretch>& stretches,
                                       SplitBehavior behavior);

}  // namespace cospadi
