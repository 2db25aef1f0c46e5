#include "ui/sources/pattern_source.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"

namespace cospadi::ui {

namespace {

// Refers to `stored`.
const SparseDictionaryFactors& factorsIn(const StoredMatrix& stored,
                                         const std::filesystem::path& file) {
    const SparseDictionaryFactors* sparse = sparseFactors(stored.weight);
    if (sparse == nullptr) {
        throw Error("a matrix of form " + stored.record.form + " has no sparsity pattern",
                    file.string(), "choose a matrix of a cospadi run");
    }
    return *sparse;
}

SparseDictionaryFactors readFactors(const std::filesystem::path& file) {
    return factorsIn(readMatrixFile(file), file);
}

}  // namespace

PatternData readPattern(const std::filesystem::path& matrixFile) {
    PatternData data;
    data.pattern = readSparsityPattern(matrixFile);
    const StoredMatrix stored = readMatrixFile(matrixFile);
    const SparseDictionaryFactors& factors = factorsIn(stored, matrixFile);
    data.multiplications = stored.weight->multiplications();
    data.facts = QJsonDocument::fromJson(QByteArray::fromStdString(stored.weight->facts().dump()))
                     .object()
                     .toVariantMap();
    data.analysis = analysePattern(factors);
    data.values = patternValues(factors);
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
    pair.secondValues = patternValues(there);
    pair.comparison = comparePatterns(here, there);
    pair.difference = patternDifference(here, there, pair.comparison);
    return pair;
}

}  // namespace cospadi::ui
