#include "ui/sources/pattern_source.h"

#include <variant>

#include "core/base/error.h"

namespace cospadi::ui {

namespace {

SparseDictionaryFactors readFactors(const std::filesystem::path& file) {
    StoredMatrix stored = readMatrixFile(file);
    auto* sparse = std::get_if<SparseDictionaryFactors>(&stored.factors);
    if (sparse == nullptr) {
        throw Error("a low-rank matrix has no sparsity pattern", file.string(),
                    "choose a matrix of a cospadi run");
    }
    return std::move(*sparse);
}

}  // namespace

PatternData readPattern(const std::filesystem::path& matrixFile) {
    PatternData data;
    data.pattern = readSparsityPattern(matrixFile);
    data.analysis = analysePattern(readFactors(matrixFile));
    data.rowsByUse = rowsByUsage(data.pattern.atomUsage);
    data.clusters = clusterColumns(data.pattern);
    data.coOccurrence = coOccurrenceMap(data.pattern, data.rowsByUse);
    return data;
}

PatternPair readPatternPair(const std::filesystem::path& first,
                            const std::filesystem::path& second) {
    const SparseDictionaryFactors here = readFactors(first);
    const SparseDictionaryFactors there = readFactors(second);
    PatternPair pair;
    pair.second = readSparsityPattern(second);
    pair.comparison = comparePatterns(here, there);
    pair.difference = patternDifference(here, there, pair.comparison);
    return pair;
}

}  // namespace cospadi::ui
