#include "core/packed/packed_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/base/short_float.h"
#include "core/packed/grouped_kernels.h"
#include "core/packed/quantised_kernels.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kReadOver = 64;  // values behind the last one that a kernel may touch

std::uint16_t packed(float value) {
    const std::uint16_t bits = bf16FromFloat(value);
    if (floatFromBf16(bits) != value) {
        throw Error(fmt::format("{} is not a bfloat16 value", value), "packed matrix",
                    "round the factors as they are stored first");
    }
    return bits;
}

// The entries of a matrix in the order of the kernels, zeros where it ends: begin() at every group,
// entry(i, value) for those of a line, then end().
template <typename Begin, typename Entry, typename End>
void forLines(const Eigen::Ref<const Eigen::MatrixXf>& a, const Begin& begin, const Entry& entry,
              const End& end) {
    const std::int64_t lines = ceilDivide(a.rows(), kPackedRows) * kPackedLines;
    for (std::int64_t first = 0; first < a.cols(); first += kPackedColumns) {
        begin();
        for (std::int64_t line = 0; line < lines; ++line) {
            for (std::int64_t i = 0; i < kPackedEntries; ++i) {
                const std::int64_t row = 2 * line + i % 2;
                const std::int64_t column = first + i / 2;
                entry(i, row < a.rows() && column < a.cols() ? a(row, column) : 0.0F);
            }
            end();
        }
    }
}

constexpr int kMostPlanes = 2;

// A power of two of which all values are multiples by −127 … 127. Of zeros, 1; nullopt
// where there is none, or none that is a normal number.
template <typename Values>
std::optional<float> integerScale(const Values& values) {
    const float largest = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0F;
    if (largest == 0) {
        return 1.0F;
    }
    const int exponent = std::ilogb(largest) - 6;  // 64 … 127 times its power
    if (!std::isfinite(largest) || exponent < -126) {
        return std::nullopt;
    }
    const float scale = std::ldexp(1.0F, exponent);
    const bool fits = ((values.array() / scale).round() * scale == values.array()).all();
    return fits ? std::optional(scale) : std::nullopt;
}

// The scales of all rows or columns, filled up with ones; none, and false, where one has none.
template <typename Vectors>
bool fillScales(const Vectors& vectors, std::int64_t count, std::vector<float>& scales) {
    for (const auto& values : vectors) {
        const std::optional<float> scale = integerScale(values);
        if (!scale) {
            scales.clear();
            return false;
        }
        scales.push_back(*scale);
    }
    scales.resize(static_cast<std::size_t>(count), 1.0F);
    return true;
}

// That of fewest bits that holds every value.
std::optional<ShortFloat> shortFormatOf(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    for (int bits = 8; bits <= 8 + kMostPlanes; ++bits) {
        const ShortFloat format(bits);
        if (std::all_of(a.reshaped().begin(), a.reshaped().end(),
                        [&](float value) { return format.rounded(value) == value; })) {
            return format;
        }
    }
    return std::nullopt;
}

}  // namespace

PackedMatrix::PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, bool masked)
    : m_rows(a.rows()), m_cols(a.cols()), m_nonZeros(masked ? 0 : a.size()) {
    if (masked ? packShortCodes(a) : packIntegers(a)) {
        return;
    }
    const std::int64_t lines = ceilDivide(m_rows, kPackedRows) * kPackedLines;
    const std::int64_t groups = ceilDivide(m_cols, kPackedColumns);
    const auto size = static_cast<std::size_t>(lines * groups);
    masked ? m_mask.reserve(size) : m_values.reserve(size * kPackedEntries + kReadOver);
    std::uint32_t mask = 0;
    forLines(
        a, [&] { m_begin.push_back(static_cast<std::int64_t>(m_values.size())); },
        [&](std::int64_t i, float value) {
            if (!masked || value != 0) {
                mask |= 1U << static_cast<unsigned>(i);
                m_values.push_back(packed(value));
            }
        },
        [&] {
            if (masked) {
                m_mask.push_back(std::exchange(mask, 0));
            }
        });
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
                    throw Error(
                        fmt::format("column {} is not a column of {}", column, pattern.name()),
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

PackedMatrix::PackedMatrix(std::int64_t rows, std::int64_t cols, BlockCodes codes)
    : m_rows(rows), m_cols(cols), m_nonZeros(rows * cols), m_codes(codes) {
    const auto steps =
        static_cast<std::size_t>(ceilDivide(rows, kPackedRows) * ceilDivide(cols, kPackedColumns));
    if (isQuantised()) {
        m_blocks.resize(steps * static_cast<std::size_t>(quantisedStepBytes(codes)), 0);
    } else {
        m_values.resize(steps * kPackedLines * kPackedEntries + kReadOver, 0);
    }
}

bool PackedMatrix::packIntegers(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    const std::int64_t rows = ceilDivide(m_rows, kPackedRows) * kPackedRows;
    const std::int64_t groups = ceilDivide(m_cols, kPackedColumns);
    const bool byColumn = fillScales(a.colwise(), groups * kPackedColumns, m_columnScales);
    if (!byColumn) {
        if (!fillScales(a.rowwise(), rows, m_rowScales)) {
            return false;
        }
        m_columnScales.resize(static_cast<std::size_t>(groups * kPackedColumns), 1.0F);
    }
    m_bytes.resize(static_cast<std::size_t>(rows * groups * kPackedColumns + kReadOver), 0);
    for (std::int64_t column = 0; column < m_cols; ++column) {
        std::uint8_t* to = m_bytes.data() + column / kPackedColumns * rows * kPackedColumns +
                           column % kPackedColumns;
        for (std::int64_t row = 0; row < m_rows; ++row) {
            const float scale = byColumn ? m_columnScales[static_cast<std::size_t>(column)]
                                         : m_rowScales[static_cast<std::size_t>(row)];
            to[row * kPackedColumns] =
                static_cast<std::uint8_t>(static_cast<std::int8_t>(a(row, column) / scale));
        }
    }
    return true;
}

bool PackedMatrix::packShortCodes(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    const std::optional<ShortFloat> format = shortFormatOf(a);
    if (!format) {
        return false;
    }
    m_planeCount = format->bits() - 8;
    std::vector<std::uint8_t> planes[kMostPlanes];
    std::uint32_t mask = 0;
    const auto begin = [&] {
        m_bytes.resize((m_bytes.size() + 7) / 8 * 8, 0);  // a byte of the planes begins
        m_begin.push_back(static_cast<std::int64_t>(m_bytes.size()));
    };
    const auto entry = [&](std::int64_t i, float value) {
        if (value == 0) {
            return;
        }
        ++m_nonZeros;
        mask |= 1U << static_cast<unsigned>(i);
        const unsigned pattern = format->pattern(value);
        for (int plane = 0; plane < m_planeCount; ++plane) {
            std::vector<std::uint8_t>& bits = planes[plane];
            bits.resize(m_bytes.size() / 8 + 1, 0);
            const unsigned bit = pattern >> static_cast<unsigned>(m_planeCount - 1 - plane);
            bits.back() |= static_cast<std::uint8_t>((bit & 1U) << m_bytes.size() % 8);
        }
        m_bytes.push_back(
            static_cast<std::uint8_t>(pattern >> static_cast<unsigned>(m_planeCount)));
    };
    forLines(a, begin, entry, [&] { m_mask.push_back(std::exchange(mask, 0)); });
    m_bytes.resize(m_bytes.size() + kReadOver, 0);
    m_bytes.shrink_to_fit();
    m_planes.resize(static_cast<std::size_t>(m_planeCount) * planeBytes(), 0);
    for (int plane = 0; plane < m_planeCount; ++plane) {
        std::copy(planes[plane].begin(), planes[plane].end(),
                  m_planes.begin() + plane * static_cast<std::ptrdiff_t>(planeBytes()));
    }
    return true;
}

std::size_t PackedMatrix::planeBytes() const {
    return m_bytes.size() / 8 + 9;  // a word and a byte may be read from the last byte on
}

bool PackedMatrix::canHold(DType type, std::int64_t rows) {
    return type == DType::BF16 ||
           (blockCodesOf(type) != BlockCodes::None && rows % blockElements(type) == 0);
}

std::optional<PackedMatrix> PackedMatrix::fromFile(DType type, std::int64_t rows, std::int64_t cols,
                                                   const FileColumn& column) {
    if (!canHold(type, rows)) {
        return std::nullopt;
    }
    PackedMatrix matrix(rows, cols, blockCodesOf(type));
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

std::optional<PackedMatrix> PackedMatrix::quantised(std::int64_t rows, std::int64_t cols, int bits,
                                                    const BlockOf& block) {
    if (rows % kPackedRows != 0) {
        return std::nullopt;
    }
    constexpr int kOfNibbles = 4;
    const BlockCodes codes = bits <= kOfNibbles ? BlockCodes::Nibbles : BlockCodes::BytesAndMinima;
    PackedMatrix matrix(rows, cols, codes);
    const PackedGroups sizes = matrix.groups();
    std::uint8_t* step = matrix.m_blocks.data();
    for (std::int64_t first = 0; first < cols; first += kPackedColumns) {
        for (std::int64_t i = 0; i < sizes.steps; ++i, step += sizes.stepBytes) {
            for (std::int64_t c = first; c < std::min(cols, first + kPackedColumns); ++c) {
                if (!packBlock(codes, block(c, i), c - first, step)) {
                    return std::nullopt;
                }
            }
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
    return static_cast<std::int64_t>(
        m_values.size() * sizeof(std::uint16_t) + m_mask.size() * sizeof(std::uint32_t) +
        m_places.size() + m_blocks.size() + m_begin.size() * sizeof(std::int64_t) + m_bytes.size() +
        m_planes.size() + (m_columnScales.size() + m_rowScales.size()) * sizeof(float));
}

PackedGroups PackedMatrix::groups() const {
    const auto orNull = [](const auto& vector) { return vector.empty() ? nullptr : vector.data(); };
    const PackedBytes bytes{
        orNull(m_bytes), orNull(m_planes),       static_cast<std::int64_t>(planeBytes()),
        m_planeCount,    orNull(m_columnScales), orNull(m_rowScales)};
    return {m_cols,
            ceilDivide(m_rows, kPackedRows),
            m_values.data(),
            orNull(m_mask),
            m_begin.data(),
            orNull(m_places),
            m_pattern,
            orNull(m_blocks),
            isQuantised() ? quantisedStepBytes(m_codes) : 0,
            m_codes,
            bytes};
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
