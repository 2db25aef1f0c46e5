// What the Pattern page shows of one finished matrix, and of two beside each other, read and
// computed in one call each, so that they can run on a pool thread. Errors: cospadi::Error.
#pragma once

#include <QVariantMap>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/forms/matrix_file.h"
#include "core/patterns/pattern_analysis.h"
#include "core/patterns/pattern_comparison.h"
#include "core/patterns/pattern_difference.h"
#include "core/patterns/pattern_order.h"
#include "core/patterns/pattern_values.h"

namespace cospadi::ui {

struct PatternData {
    SparsityPattern pattern;
    std::int64_t multiplications = 0;  // a token (StoredWeight)
    QVariantMap facts;                 // StoredWeight::facts()
    PatternAnalysis analysis;
    PatternValues values;
    std::vector<std::int64_t> rowsByUse;
    ColumnClusters clusters;
    std::vector<std::uint8_t> coOccurrence;  // (k, k), rows and columns by use, 0 … 255
};

PatternData readPattern(const std::filesystem::path& matrixFile);

struct PatternPair {
    SparsityPattern second;
    PatternValues secondValues;
    PatternComparison comparison;
    PatternDifference difference;
};

PatternPair readPatternPair(const std::filesystem::path& first,
                            const std::filesystem::path& second);

}  // namespace cospadi::ui
