// What stands at an entry of the maps, in words: the atom and the column, and the value of one run,
// or which of two runs have an entry there and how far their values are apart. Pure.
#pragma once

#include <QString>
#include <cstdint>

#include "ui/sources/pattern_source.h"

namespace cospadi::ui {

// pair.second.k = 0: nothing stands beside the pattern, and row is the number of an atom; else that
// of a row of the difference.
QString entryWords(const PatternData& data, const PatternPair& pair, std::int64_t row,
                   std::int64_t column);

}  // namespace cospadi::ui
