#include "core/forms/remapped/remapped_weight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/bfloat16.h"
#include "core/forms/matrix_tensors.h"
#include "core/forms/remapped/dynamic_code.h"

namespace cospadi {

namespace {

// Tensors of a side.
struct Names {
    const char* codes;
    const char* scales;
    const char* rest;  // absent where there is none
};

constexpr Names kLeft{"left_codes", "left_scales", "left_rest"};
constexpr Names kRight{"right_codes", "right_scales", "right_rest"};

void write(MatrixTensors& tensors, const Names& names, const RemappedColumns& columns) {
    tensors.add(names.codes, DType::U8, {columns.codes.cols(), columns.codes.rows()},
                {columns.codes.data(), columns.codes.data() + columns.codes.size()});
    tensors.addColumns(names.scales, columns.scales, 16);
    if (columns.rest.rows() > 0) {
        tensors.addColumns(names.rest, columns.rest, 16);
    }
}

RemappedColumns readColumns(const StoredTensors& file, const Names& names, std::int64_t rows,
                            std::int64_t coded, std::int64_t rank) {
    const TensorView& codes = file.require(names.codes);
    if (codes.dtype != DType::U8 || codes.shape != std::vector<std::int64_t>{rank, coded}) {
        file.reject(fmt::format("tensor {} is not U8 of shape ({}, {})", codes.name, rank, coded));
    }
    RemappedColumns columns;
    columns.scales = file.columns(names.scales, rank, 1, 16);
    columns.rest =
        rows > coded ? file.columns(names.rest, rows - coded, rank, 16) : Eigen::MatrixXf(0, rank);
    columns.codes.resize(coded, rank);
    std::memcpy(columns.codes.data(), codes.bytes.data(), codes.bytes.size());
    return columns;
}

bool same(const RemappedColumns& a, const RemappedColumns& b) {
    return a.codes == b.codes && a.scales == b.scales && a.rest == b.rest;
}

}  // namespace

RemappedColumns remapped(const Eigen::MatrixXf& columns, std::int64_t m) {
    RemappedColumns result;
    result.codes.resize(m, columns.cols());
    result.scales.resize(columns.cols());
    result.rest = columns.bottomRows(columns.rows() - m).unaryExpr([](float value) {
        return roundedToBf16(value);
    });
    for (Eigen::Index j = 0; j < columns.cols(); ++j) {
        const auto entries = columns.col(j).head(m);
        const float scale = roundedToBf16(entries.cwiseAbs().maxCoeff());
        result.scales(j) = scale;
        for (Eigen::Index i = 0; i < m; ++i) {
            result.codes(i, j) = nearestDynamicCode(scale > 0 ? entries(i) / scale : 0);
        }
    }
    return result;
}

Eigen::MatrixXf RemappedColumns::decoded() const {
    Eigen::MatrixXf columns(codes.rows() + rest.rows(), codes.cols());
    columns.bottomRows(rest.rows()) = rest;
    for (Eigen::Index j = 0; j < codes.cols(); ++j) {
        for (Eigen::Index i = 0; i < codes.rows(); ++i) {
            columns(i, j) = roundedToBf16(scales(j) * dynamicValue(codes(i, j)));
        }
    }
    return columns;
}

Eigen::MatrixXf RemappedWeight::recomposed() const {
    return m_left.decoded() * m_right.decoded().transpose();
}

std::unique_ptr<WeightProduct> RemappedWeight::product() const {
    return std::make_unique<WeightProduct>(
        WeightProduct{m_left.decoded(), m_right.decoded().transpose()});
}

std::unique_ptr<LinearLayer> RemappedWeight::makeLayer(std::int64_t storedBytes) const {
    return std::make_unique<LowRankLayer>(m_left.decoded(), m_right.decoded().transpose(),
                                          storedBytes);
}

nlohmann::json RemappedWeight::facts() const {
    const Eigen::Index coded = m_left.codes.rows();
    return factsOf(coded + m_left.rest.rows(), coded + m_right.rest.rows(), m_left.codes.cols());
}

std::int64_t RemappedWeight::multiplications() const {
    return m_left.codes.size() + m_left.rest.size() + m_right.codes.size() + m_right.rest.size();
}

nlohmann::json RemappedWeight::factsOf(std::int64_t d1, std::int64_t d2, std::int64_t rank) {
    return {{"rank", rank}, {"coded_entries", std::min(d1, d2)}};
}

bool RemappedWeight::equals(const StoredWeight& other) const {
    const auto* weight = dynamic_cast<const RemappedWeight*>(&other);
    return weight != nullptr && same(m_left, weight->m_left) && same(m_right, weight->m_right);
}

void RemappedWeight::write(MatrixTensors& tensors) const {
    cospadi::write(tensors, kLeft, m_left);
    cospadi::write(tensors, kRight, m_right);
}

StoredWeightPtr RemappedWeight::read(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    file.requireFactors(record.rank);
    const std::int64_t coded = std::min(record.d1, record.d2);
    RemappedColumns left = readColumns(file, kLeft, record.d1, coded, record.rank);
    RemappedColumns right = readColumns(file, kRight, record.d2, coded, record.rank);
    return std::make_shared<const RemappedWeight>(std::move(left), std::move(right));
}

Phrase RemappedWeight::describe(const nlohmann::json& facts) {
    return Phrase{
        "rank r = %1, %2 entries of a column and of its row in 8 bits each",
        {std::to_string(facts.value("rank", 0)), std::to_string(facts.value("coded_entries", 0))}};
}

}  // namespace cospadi
