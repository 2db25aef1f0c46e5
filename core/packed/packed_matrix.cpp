#include "core/packed/packed_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/packed/grouped_kernels.h"
#include "core/packed/quantised_kernels.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kReadOver = 32;  // values behind the last one that a kernel may touch

std::uint16_t packed(float value) {
    const std::uint16_t bits = bf16FromFloat(value);
    if (floatFromBf16(bits) != value) {
        throw Error(fmt::format("{} is no bfloat16 value", value), "packed matrix",
                    "round the factors as they are stored first");
    }
    return bits;
}

}  // namespace

PackedMatrix::PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, bool masked)
    : m_rows(a.rows()), m_cols(a.cols()), m_nonZeros(masked ? 0 : a.size()) {
    const std::int64_t lines = ceilDivide(m_rows, kPackedRows) * kPackedLines;
    const std::int64_t groups = ceilDivide(m_cols, kPackedColumns);
    const auto size = static_cast<std::size_t>(lines * groups);
    masked ? m_mask.reserve(size) : m_values.reserve(size * kPackedEntries + kReadOver);
    for (std::int64_t group = 0; group < groups; ++group) {
        m_begin.push_back(static_cast<std::int64_t>(m_values.size()));
        for (std::int64_t line = 0; line < lines; ++line) {
            std::uint32_t mask = 0;
            for (std::int64_t i = 0; i < kPackedEntries; ++i) {
                const std::int64_t row = 2 * line + i % 2;
                const std::int64_t column = group * kPackedColumns + i / 2;
                const float value = row < m_rows && column < m_cols ? a(row, column) : 0.0F;
                if (masked && value == 0) {
                    continue;
                }
                mask |= 1U << static_cast<unsigned>(i);
                m_values.push_back(packed(value));
            }
            if (masked) {
                m_mask.push_back(mask);
            }
        }
    }
    if (masked) {
        m_nonZeros = static_cast<std::int64_t>(m_values.size());
    }
    m_values.resize(m_values.size() + kReadOver, 0);
    m_values.shrink_to_fit();
}

PackedMatrix::PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, const NmPattern& pattern)
    : m_rows(a.rows()), m_cols(a.cols()), m_nonZeros((a.array() != 0).count()), m_pattern(pattern) {
    const PackedGroups sizes = groups();
    const std::int64_t perStep = groupedValues(pattern);
    const std::int64_t steps = sizes.groups() * sizes.steps;
    m_places.resize(static_cast<std::size_t>(steps * placeBytes(pattern)), 0);
    m_values.resize(static_cast<std::size_t>(steps * perStep * kPackedColumns), 0);
    for (std::int64_t column = 0; column < m_cols; ++column) {
        const std::int64_t group = column / kPackedColumns;
        for (std::int64_t first = 0; first < m_rows; first += pattern.group) {
            std::int64_t value =
                group * sizes.steps * perStep + first / pattern.group * pattern.kept;
            const std::int64_t last = value + pattern.kept;
            for (std::int64_t i = first; i < std::min(m_rows, first + pattern.group); ++i) {
                if (a(i, column) == 0) {
                    continue;
                }
                if (value == last) {
                    throw Error(fmt::format("column {} is no column of {}", column, pattern.name()),
                                "packed matrix", "use the pattern that the codes were found with");
                }
                const GroupedEntry entry = groupedEntry(pattern, value, column % kPackedColumns);
                m_values[static_cast<std::size_t>(entry.value)] = packed(a(i, column));
                m_places[static_cast<std::size_t>(entry.placeByte)] |=
                    static_cast<std::uint8_t>((i - first) << entry.placeShift);
                ++value;
            }
        }
    }
}

PackedMatrix::PackedMatrix(std::int64_t rows, std::int64_t cols, int codeBits)
    : m_rows(rows), m_cols(cols), m_nonZeros(rows * cols), m_codeBits(codeBits) {
    const auto steps =
        static_cast<std::size_t>(ceilDivide(rows, kPackedRows) * ceilDivide(cols, kPackedColumns));
    if (codeBits > 0) {
        m_blocks.resize(steps * static_cast<std::size_t>(quantisedStepBytes(codeBits)), 0);
    } else {
        m_values.resize(steps * kPackedLines * kPackedEntries + kReadOver, 0);
    }
}

bool PackedMatrix::canHold(DType type, std::int64_t rows) {
    return type == DType::BF16 || (quantisedBits(type) > 0 && rows % blockElements(type) == 0);
}

std::optional<PackedMatrix> PackedMatrix::fromFile(DType type, std::int64_t rows, std::int64_t cols,
                                                   const FileColumn& column) {
    if (!canHold(type, rows)) {
        return std::nullopt;
    }
    PackedMatrix matrix(rows, cols, quantisedBits(type));
    const PackedGroups sizes = matrix.groups();
    for (std::int64_t c = 0; c < cols; ++c) {
        const std::int64_t group = c / kPackedColumns;
        const std::int64_t place = c % kPackedColumns;
        if (matrix.isQuantised()) {
            if (!packBlocks(type, column(c), sizes.steps, place,
                            matrix.m_blocks.data() + group * sizes.steps * sizes.stepBytes)) {
                return std::nullopt;
            }
            continue;
        }
        const std::byte* from = column(c);
        std::uint16_t* to =
            matrix.m_values.data() + group * sizes.lines() * kPackedEntries + 2 * place;
        unsigned largest = 0;  // exponent
        for (std::int64_t pair = 0; pair < ceilDivide(rows, 2); ++pair, to += kPackedEntries) {
            std::uint32_t values = 0;
            std::memcpy(&values, from + 4 * pair, 2 * pair + 1 < rows ? 4 : 2);
            std::memcpy(to, &values, sizeof values);
            largest = std::max({largest, values & 0x7f80U, values >> 16U & 0x7f80U});
        }
        if (largest == 0x7f80U) {
            return std::nullopt;
        }
    }
    return matrix;
}

PackedMatrix PackedMatrix::dense(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    return PackedMatrix(a, false);
}

PackedMatrix PackedMatrix::sparse(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    return PackedMatrix(a, true);
}

PackedMatrix PackedMatrix::grouped(const Eigen::Ref<const Eigen::MatrixXf>& a,
                                   const NmPattern& pattern) {
    return hasPlaces(pattern) ? PackedMatrix(a, pattern) : sparse(a);
}

std::int64_t PackedMatrix::bytes() const {
    return static_cast<std::int64_t>(m_values.size() * sizeof(std::uint16_t) +
                                     m_mask.size() * sizeof(std::uint32_t) + m_places.size() +
                                     m_blocks.size() + m_begin.size() * sizeof(std::int64_t));
}

PackedGroups PackedMatrix::groups() const {
    return {m_cols,
            ceilDivide(m_rows, kPackedRows),
            m_values.data(),
            m_mask.empty() ? nullptr : m_mask.data(),
            m_begin.data(),
            m_places.empty() ? nullptr : m_places.data(),
            m_pattern,
            m_blocks.empty() ? nullptr : m_blocks.data(),
            m_codeBits > 0 ? quantisedStepBytes(m_codeBits) : 0,
            m_codeBits};
}

Eigen::MatrixXf PackedMatrix::unpacked() const {
    const PackedGroups a = groups();
    Eigen::MatrixXf group(kPackedColumns, a.rows());  // transposed
    Eigen::MatrixXf matrix(m_rows, m_cols);
    for (std::int64_t i = 0; i < a.groups(); ++i) {
        unpack(bestPackedInstructions(), a, i, i + 1, group.data());
        matrix.middleCols(i * kPackedColumns, a.columnsOf(i)) =
            group.topLeftCorner(a.columnsOf(i), m_rows).transpose();
    }
    return matrix;
}

void PackedMatrix::unpackColumn(std::int64_t column, float* to) const {
    const PackedGroups a = groups();
    const std::int64_t group = column / kPackedColumns;
    std::vector<float> values(static_cast<std::size_t>(a.rows() * kPackedColumns));
    unpack(bestPackedInstructions(), a, group, group + 1, values.data());
    for (std::int64_t row = 0; row < m_rows; ++row) {
        to[row] = values[static_cast<std::size_t>(row * kPackedColumns + column % kPackedColumns)];
    }
}

}  // namespace cospadi
