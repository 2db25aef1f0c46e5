#include "core/forms/low_rank/low_rank_weight.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/forms/integer_columns.h"
#include "core/forms/matrix_tensors.h"

namespace cospadi {

void roundCodes(LowRankFactors& factors) {
    roundCoefficients(factors.rightFormat, factors.rightBits, CoefficientRounding::Nearest,
                      factors.left, factors.right);
}

Eigen::MatrixXf recompose(const LowRankFactors& factors) { return factors.left * factors.right; }

std::unique_ptr<WeightProduct> LowRankWeight::product() const {
    return std::make_unique<WeightProduct>(WeightProduct{m_factors.left, m_factors.right});
}

std::unique_ptr<LinearLayer> LowRankWeight::makeLayer(std::int64_t storedBytes) const {
    return std::make_unique<LowRankLayer>(m_factors.left, m_factors.right, storedBytes);
}

nlohmann::json LowRankWeight::facts() const {
    return factsOf(m_factors.left.cols(), m_factors.leftBits, m_factors.rightBits,
                   m_factors.integerRun);
}

std::int64_t LowRankWeight::multiplications() const {
    return m_factors.left.size() + m_factors.right.size();
}

nlohmann::json LowRankWeight::factsOf(std::int64_t rank, int leftBits, int rightBits,
                                      std::int64_t integerRun) {
    nlohmann::json facts{{"rank", rank}, {"left_bits", leftBits}, {"right_bits", rightBits}};
    if (integerRun > 0) {
        facts["integer_run"] = integerRun;
    }
    return facts;
}

bool LowRankWeight::equals(const StoredWeight& other) const {
    const auto* low = dynamic_cast<const LowRankWeight*>(&other);
    return low != nullptr && m_factors.left == low->m_factors.left &&
           m_factors.right == low->m_factors.right;
}

StoredWeightPtr LowRankWeight::requantized(int bits, CoefficientRounding rounding) const {
    requireNoIntegers(m_factors.integerRun);
    LowRankFactors shorter = m_factors;
    shorter.rightBits = bits;
    shorter.rightFormat = CoefficientFormat::ShortMantissa;
    roundCoefficients(shorter.rightFormat, bits, rounding, shorter.left, shorter.right);
    return storedWeight(std::move(shorter));
}

StoredWeightPtr LowRankWeight::withFactors(WeightProduct factors) const {
    requireNoIntegers(m_factors.integerRun);
    LowRankFactors other = m_factors;
    other.left = std::move(factors.left);
    const Eigen::VectorXf stretch = roundColumns(other.leftBits, other.left);
    other.right = stretch.cwiseInverse().asDiagonal() * factors.right;
    roundCodes(other);
    return storedWeight(std::move(other));
}

std::vector<StoredWeightPtr> LowRankWeight::split(const std::vector<std::int64_t>& widths) const {
    std::vector<StoredWeightPtr> layers;
    Eigen::Index begin = 0;
    for (const std::int64_t width : widths) {
        LowRankFactors own = m_factors;
        own.right = m_factors.right.middleCols(begin, width);
        if (own.integerRun > 0) {
            own.rightScales = m_factors.rightScales.middleCols(begin, width);
        }
        layers.push_back(storedWeight(std::move(own)));
        begin += width;
    }
    return layers;
}

void LowRankWeight::write(MatrixTensors& tensors) const {
    tensors.describeNumbers(
        {m_factors.leftBits, m_factors.rightBits, m_factors.rightFormat, m_factors.integerRun});
    tensors.addCommonColumns("left", m_factors.left, m_factors.leftBits, m_factors.leftScales);
    if (m_factors.integerRun > 0) {
        tensors.addIntegers("right", m_factors.right, m_factors.rightScales, m_factors.rightBits,
                            false);
        return;
    }
    if (m_factors.rightBits == 16) {
        tensors.addColumns("right", m_factors.right, m_factors.rightBits);
        return;
    }
    tensors.addStream("right", streamOf(m_factors.right, CoefficientCode(m_factors.rightFormat,
                                                                         m_factors.rightBits)));
}

StoredWeightPtr LowRankWeight::read(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    file.requireFactors(record.rank);
    const NumberWidths widths = file.numberWidths();
    LowRankFactors factors;
    factors.leftBits = widths.columnBits;
    factors.rightBits = widths.coefficientBits;
    factors.rightFormat = widths.format;
    factors.integerRun = widths.integerRun;
    if (factors.integerRun > 0) {
        factors.leftScales =
            file.scales("left", integerRuns(record.d1, factors.integerRun), record.rank);
        factors.left = file.integers("left", factors.leftScales, factors.leftBits, record.d1);
        factors.rightScales =
            file.scales("right", integerRuns(record.rank, factors.integerRun), record.d2);
        factors.right = file.integers("right", factors.rightScales, factors.rightBits, record.rank);
        return storedWeight(std::move(factors));
    }
    factors.left = file.columns("left", record.d1, record.rank, factors.leftBits);
    if (factors.rightBits == 16) {
        factors.right = file.columns("right", record.rank, record.d2, factors.rightBits);
        return storedWeight(std::move(factors));
    }
    const TensorView& right = file.require("right");
    // Sizes are below 2³¹ each, and the left factor has as many columns: no overflow of the count.
    const std::int64_t count = record.rank * record.d2;
    const auto bytes = static_cast<std::int64_t>(right.bytes.size());
    if (right.dtype != DType::U8 || count > 8 * bytes ||
        bytes != streamBytes(count, factors.rightBits)) {
        file.reject(fmt::format("tensor {} does not hold {} x {} values of {} bits", right.name,
                                record.rank, record.d2, factors.rightBits));
    }
    factors.right =
        matrixOfStream(right.bytes, CoefficientCode(factors.rightFormat, factors.rightBits),
                       record.rank, record.d2);
    return storedWeight(std::move(factors));
}

Phrase LowRankWeight::describe(const nlohmann::json& facts) {
    Phrase told = Phrase{
        "rank r = %1, factors of %2 and %3 bits",
        {std::to_string(facts.value("rank", 0)), std::to_string(facts.value("left_bits", 16)),
         std::to_string(facts.value("right_bits", 16))}};
    if (facts.contains("integer_run")) {
        told.more.push_back(
            Phrase{"integers, a scale for %1", {std::to_string(facts.value("integer_run", 0))}});
    }
    return told;
}

StoredWeightPtr storedWeight(LowRankFactors factors) {
    return std::make_shared<const LowRankWeight>(std::move(factors));
}

}  // namespace cospadi
