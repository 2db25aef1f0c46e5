#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

#include <bit>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/forms/integer_columns.h"
#include "core/forms/matrix_tensors.h"
#include "core/forms/pattern_fields.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"

namespace cospadi {

namespace {

// One a place of the mask.
std::vector<std::uint16_t> patternsOf(const SparseDictionaryFactors& factors,
                                      const StoredMask& mask) {
    const CoefficientCode code(factors.coefficientFormat, factors.coefficientBits);
    std::vector<std::uint16_t> patterns;
    for (Eigen::Index i = 0; i < factors.codes.size(); ++i) {
        if (mask.at(i)) {
            patterns.push_back(code.pattern(factors.codes.data()[i]));
        }
    }
    return patterns;
}

void writeValues(const SparseDictionaryFactors& factors, const StoredMask& mask,
                 MatrixTensors& tensors) {
    if (factors.integerRun > 0) {
        tensors.addIntegers("values", factors.codes, factors.codeScales, factors.coefficientBits,
                            true);
        return;
    }
    const std::vector<std::uint16_t> patterns = patternsOf(factors, mask);
    if (factors.coefficientBits == 16) {
        tensors.addValues("values", patterns);
        return;
    }
    BitWriter writer(factors.coefficientBits);
    for (const std::uint16_t pattern : patterns) {
        writer.add(pattern);
    }
    tensors.addStream("values", writer.finish());
}

}  // namespace

const char* name(DictionarySide side) { return side == DictionarySide::Input ? "input" : "output"; }

DictionarySide dictionarySideFromName(const std::string& name) {
    for (const DictionarySide side : {DictionarySide::Input, DictionarySide::Output}) {
        if (name == cospadi::name(side)) {
            return side;
        }
    }
    throw Error("'" + name + "' is not a side of a layer", "side", "use auto, input or output");
}

void roundCodes(SparseDictionaryFactors& factors, CoefficientRounding rounding) {
    roundCoefficients(factors.coefficientFormat, factors.coefficientBits, rounding,
                      factors.dictionary, factors.codes);
}

Eigen::MatrixXf recompose(const SparseDictionaryFactors& sparse) {
    return sparse.side == DictionarySide::Input
               ? Eigen::MatrixXf(sparse.dictionary * sparse.codes)
               : Eigen::MatrixXf(sparse.codes.transpose() * sparse.dictionary.transpose());
}

std::unique_ptr<WeightProduct> SparseDictionaryWeight::product() const {
    const SparseDictionaryFactors& f = m_factors;
    return std::make_unique<WeightProduct>(
        f.side == DictionarySide::Input
            ? WeightProduct{f.dictionary, f.codes}
            : WeightProduct{f.codes.transpose(), f.dictionary.transpose()});
}

std::unique_ptr<LinearLayer> SparseDictionaryWeight::makeLayer(std::int64_t storedBytes) const {
    return std::make_unique<SparseDictionaryLayer>(m_factors.dictionary, m_factors.codes,
                                                   m_factors.side == DictionarySide::Output,
                                                   storedBytes, m_factors.pattern);
}

nlohmann::json SparseDictionaryWeight::facts() const {
    nlohmann::json facts =
        factsOf(m_factors.dictionary.cols(), m_factors.s, m_factors.side, m_factors.dictionaryBits,
                m_factors.coefficientBits, m_factors.integerRun, m_factors.pattern);
    facts["active_atoms"] = activeAtoms();
    return facts;
}

std::int64_t SparseDictionaryWeight::activeAtoms() const {
    return (m_factors.codes.array() != 0).rowwise().any().count();
}

std::int64_t SparseDictionaryWeight::multiplications() const {
    return m_factors.dictionary.rows() * activeAtoms() + (m_factors.codes.array() != 0).count();
}

nlohmann::json SparseDictionaryWeight::factsOf(std::int64_t k, std::int64_t s, DictionarySide side,
                                               int dictionaryBits, int coefficientBits,
                                               std::int64_t integerRun, const NmPattern& pattern) {
    nlohmann::json facts{{"k", k},
                         {"s", s},
                         {"side", name(side)},
                         {"dictionary_bits", dictionaryBits},
                         {"coefficient_bits", coefficientBits}};
    if (integerRun > 0) {
        facts["integer_run"] = integerRun;
    }
    if (pattern.isGrouped()) {
        facts["code_pattern"] = pattern.name();
    }
    return facts;
}

bool SparseDictionaryWeight::equals(const StoredWeight& other) const {
    const auto* sparse = dynamic_cast<const SparseDictionaryWeight*>(&other);
    return sparse != nullptr && m_factors.side == sparse->m_factors.side &&
           m_factors.dictionary == sparse->m_factors.dictionary &&
           m_factors.codes == sparse->m_factors.codes;
}

StoredWeightPtr SparseDictionaryWeight::requantized(int bits, CoefficientRounding rounding) const {
    requireNoIntegers(m_factors.integerRun);
    SparseDictionaryFactors shorter = m_factors;
    shorter.coefficientBits = bits;
    shorter.coefficientFormat = CoefficientFormat::ShortMantissa;
    roundCodes(shorter, rounding);
    return storedWeight(std::move(shorter));
}

StoredWeightPtr SparseDictionaryWeight::withFactors(WeightProduct factors) const {
    requireNoIntegers(m_factors.integerRun);
    SparseDictionaryFactors other = m_factors;
    const bool isInput = other.side == DictionarySide::Input;
    other.dictionary = isInput ? std::move(factors.left) : factors.right.transpose();
    other.codes = isInput ? std::move(factors.right) : factors.left.transpose();
    const Eigen::VectorXf stretch = roundColumns(other.dictionaryBits, other.dictionary);
    other.codes = stretch.cwiseInverse().asDiagonal() * other.codes;
    roundCodes(other);
    return storedWeight(std::move(other));
}

std::vector<StoredWeightPtr> SparseDictionaryWeight::split(
    const std::vector<std::int64_t>& widths) const {
    std::vector<StoredWeightPtr> layers;
    Eigen::Index begin = 0;
    for (const std::int64_t width : widths) {
        SparseDictionaryFactors own = m_factors;
        own.codes = m_factors.codes.middleCols(begin, width);
        if (own.integerRun > 0) {
            own.codeScales = m_factors.codeScales.middleCols(begin, width);
        }
        layers.push_back(storedWeight(std::move(own)));
        begin += width;
    }
    return layers;
}

void SparseDictionaryWeight::write(MatrixTensors& tensors) const {
    tensors.setMetadata("side", name(m_factors.side));
    if (m_factors.pattern.isGrouped()) {
        describePattern(m_factors.pattern, tensors);
    }
    tensors.describeNumbers({m_factors.dictionaryBits, m_factors.coefficientBits,
                             m_factors.coefficientFormat, m_factors.integerRun});
    tensors.addCommonColumns("dictionary", m_factors.dictionary, m_factors.dictionaryBits,
                             m_factors.dictionaryScales);
    const StoredMask mask = maskOf(m_factors.codes, m_factors.pattern);
    writeValues(m_factors, mask, tensors);
    tensors.addStream("mask", maskStream(mask, m_factors.codes.size()));
}

StoredWeightPtr SparseDictionaryWeight::read(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    file.requireFactors(record.k);
    const NumberWidths widths = file.numberWidths();
    SparseDictionaryFactors factors;
    factors.s = record.s;
    factors.coefficientBits = widths.coefficientBits;
    factors.coefficientFormat = widths.format;
    factors.side = record.side;
    factors.dictionaryBits = widths.columnBits;
    const bool input = record.side == DictionarySide::Input;
    const std::int64_t rows = input ? record.d1 : record.d2;
    factors.integerRun = widths.integerRun;
    if (factors.integerRun > 0) {
        factors.dictionaryScales =
            file.scales("dictionary", integerRuns(rows, widths.integerRun), record.k);
        factors.dictionary =
            file.integers("dictionary", factors.dictionaryScales, factors.dictionaryBits, rows);
    } else {
        factors.dictionary = file.columns("dictionary", rows, record.k, factors.dictionaryBits);
    }
    const StoredMask mask = storedMaskOf(file);
    factors.pattern = mask.pattern;
    const TensorView& values = file.require("values");
    std::int64_t nonZeros = 0;
    for (const std::uint8_t byte : mask.bytes) {
        nonZeros += std::popcount(byte);
    }
    if (static_cast<std::int64_t>(values.bytes.size()) !=
        streamBytes(nonZeros, factors.coefficientBits)) {
        file.reject("the number of values does not fit the mask");
    }
    factors.codes = Eigen::MatrixXf::Zero(record.k, mask.columns);
    if (factors.integerRun > 0) {
        for (std::int64_t i = 0; i < factors.codes.size(); ++i) {
            factors.codes.data()[i] = mask.at(i) ? 1.0F : 0.0F;
        }
        factors.codeScales =
            file.scales("values", integerRuns(record.s, widths.integerRun), mask.columns);
        file.integersInto(factors.codes, "values", factors.codeScales, factors.coefficientBits);
        return storedWeight(std::move(factors));
    }
    BitReader reader(values.bytes, factors.coefficientBits);
    const CoefficientCode code(factors.coefficientFormat, factors.coefficientBits);
    for (std::int64_t i = 0; i < factors.codes.size(); ++i) {
        if (mask.at(i)) {
            factors.codes.data()[i] = code.value(reader.next());
        }
    }
    return storedWeight(std::move(factors));
}

Phrase SparseDictionaryWeight::describe(const nlohmann::json& facts) {
    const std::string bits = std::to_string(facts.value("coefficient_bits", 16));
    const std::string pattern = facts.value("code_pattern", "");
    Phrase told = Phrase{"k = %1, s = %2%3",
                         {std::to_string(facts.value("k", 0)), std::to_string(facts.value("s", 0)),
                          pattern.empty() ? "" : " (" + pattern + ")"},
                         {facts.contains("integer_run")
                              ? Phrase{"integers of %1 and %2 bits, a scale for %3",
                                       {std::to_string(facts.value("dictionary_bits", 0)), bits,
                                        std::to_string(facts.value("integer_run", 0))}}
                              : Phrase{"%1-bit values", {bits}}}};
    if (facts.value("side", "") == name(DictionarySide::Output)) {
        told.more.push_back(Phrase{"dictionary over the outputs"});
    }
    return told;
}

StoredWeightPtr storedWeight(SparseDictionaryFactors factors) {
    return std::make_shared<const SparseDictionaryWeight>(std::move(factors));
}

const SparseDictionaryFactors* sparseFactors(const StoredWeightPtr& weight) {
    const auto* sparse = dynamic_cast<const SparseDictionaryWeight*>(weight.get());
    return sparse != nullptr ? &sparse->factors() : nullptr;
}

}  // namespace cospadi
