#include "core/forms/group_quantised/group_quantised_weight.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/forms/matrix_tensors.h"
#include "core/tensors/dtype.h"

namespace cospadi {

namespace {

// (groups, outputs); a row of the tensor has the groups of an output.
void addHalves(MatrixTensors& tensors, const char* name, const Eigen::MatrixXf& values) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(2 * static_cast<std::size_t>(values.size()));
    for (const float value : values.reshaped()) {
        const std::uint16_t half = floatToHalf(value);
        bytes.push_back(static_cast<std::uint8_t>(half & 0xFFU));
        bytes.push_back(static_cast<std::uint8_t>(half >> 8U));
    }
    tensors.add(name, DType::F16, {values.cols(), values.rows()}, std::move(bytes));
}

Eigen::MatrixXf halvesOf(const StoredTensors& file, const char* name, std::int64_t rows,
                         std::int64_t cols) {
    const TensorView& tensor = file.require(name);
    if (tensor.dtype != DType::F16 || tensor.shape != std::vector<std::int64_t>{cols, rows}) {
        file.reject(fmt::format("tensor {} is not F16 of shape ({}, {})", tensor.name, cols, rows));
    }
    const std::vector<float> values = tensor.toFloat();
    return Eigen::Map<const Eigen::MatrixXf>(values.data(), rows, cols);
}

}  // namespace

GroupGrid GroupQuantisedCodes::grid(Eigen::Index group, Eigen::Index output) const {
    return hasMinimums() ? GroupGrid{scales(group, output), minimums(group, output), 0}
                         : GroupGrid{scales(group, output), 0, static_cast<float>(1 << (bits - 1))};
}

Eigen::MatrixXf GroupQuantisedWeight::recomposed() const {
    const GroupQuantisedCodes& q = m_codes;
    Eigen::MatrixXf w(q.d1, q.d2);
    for (Eigen::Index j = 0; j < q.d2; ++j) {
        for (Eigen::Index i = 0; i < q.d1; ++i) {
            w(i, j) =
                q.grid(i / q.groupSize, j).valueOf(q.codes[static_cast<std::size_t>(j * q.d1 + i)]);
        }
    }
    return w;
}

std::unique_ptr<LinearLayer> GroupQuantisedWeight::makeLayer(std::int64_t storedBytes) const {
    const GroupQuantisedCodes& q = m_codes;
    if (q.groupSize % kPackedRows == 0) {
        std::optional<PackedMatrix> packed = PackedMatrix::quantised(
            q.d1, q.d2, q.bits, [&q](std::int64_t output, std::int64_t step) {
                const std::int64_t first = step * kPackedRows;
                const GroupGrid grid = q.grid(first / q.groupSize, output);
                return CodeBlock{grid.scale, grid.valueOf(0),
                                 &q.codes[static_cast<std::size_t>(output * q.d1 + first)]};
            });
        if (packed) {
            return std::make_unique<PackedDenseLayer>(std::move(*packed), storedBytes);
        }
    }
    return std::make_unique<DenseLayer>(recomposed(), storedBytes);
}

nlohmann::json GroupQuantisedWeight::facts() const {
    return factsOf(m_codes.bits, m_codes.groupSize, m_codes.hasMinimums());
}

std::int64_t GroupQuantisedWeight::multiplications() const { return m_codes.d1 * m_codes.d2; }

nlohmann::json GroupQuantisedWeight::factsOf(int bits, std::int64_t groupSize, bool hasMinimums) {
    return {{"bits", bits}, {"group_size", groupSize}, {"minimums", hasMinimums}};
}

bool GroupQuantisedWeight::equals(const StoredWeight& other) const {
    const auto* same = dynamic_cast<const GroupQuantisedWeight*>(&other);
    return same != nullptr && m_codes.bits == same->m_codes.bits &&
           m_codes.groupSize == same->m_codes.groupSize && m_codes.codes == same->m_codes.codes &&
           m_codes.scales == same->m_codes.scales && m_codes.minimums == same->m_codes.minimums;
}

void GroupQuantisedWeight::write(MatrixTensors& tensors) const {
    tensors.setMetadata("bits", std::to_string(m_codes.bits));
    tensors.setMetadata("group_size", std::to_string(m_codes.groupSize));
    tensors.setMetadata("minimums", m_codes.hasMinimums() ? "1" : "0");
    BitWriter writer(m_codes.bits);
    for (const std::uint8_t code : m_codes.codes) {
        writer.add(code);
    }
    tensors.addStream("codes", writer.finish());
    addHalves(tensors, "scales", m_codes.scales);
    if (m_codes.hasMinimums()) {
        addHalves(tensors, "minimums", m_codes.minimums);
    }
}

StoredWeightPtr GroupQuantisedWeight::read(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    GroupQuantisedCodes q;
    q.bits = static_cast<int>(file.number("bits", 2, 8));
    q.groupSize = file.number("group_size", 1, std::max<std::int64_t>(1, record.d1));
    q.d1 = record.d1;
    q.d2 = record.d2;
    const TensorView& codes = file.require("codes");
    // Sizes are below 2³¹ each: their product fits, eight times it need not.
    const std::int64_t count = q.d1 * q.d2;
    const auto bytes = static_cast<std::int64_t>(codes.bytes.size());
    if (q.d1 % q.groupSize != 0 || codes.dtype != DType::U8 || count > 8 * bytes ||
        bytes != streamBytes(count, q.bits)) {
        file.reject(fmt::format("tensor {} does not hold {} x {} codes of {} bits", codes.name,
                                q.d1, q.d2, q.bits));
    }
    q.scales = halvesOf(file, "scales", q.d1 / q.groupSize, q.d2);
    if (file.number("minimums", 0, 1) == 1) {
        q.minimums = halvesOf(file, "minimums", q.d1 / q.groupSize, q.d2);
    }
    q.codes.reserve(static_cast<std::size_t>(count));
    BitReader reader(codes.bytes, q.bits);
    for (std::int64_t i = 0; i < count; ++i) {
        q.codes.push_back(static_cast<std::uint8_t>(reader.next()));
    }
    return std::make_shared<const GroupQuantisedWeight>(std::move(q));
}

Phrase GroupQuantisedWeight::describe(const nlohmann::json& facts) {
    const std::vector<std::string> sizes = {std::to_string(facts.value("bits", 0)),
                                            std::to_string(facts.value("group_size", 0))};
    return facts.value("minimums", false)
               ? Phrase{"%1 bits, groups of %2 with a minimum each", sizes}
               : Phrase{"%1 bits, groups of %2", sizes};
}

}  // namespace cospadi
