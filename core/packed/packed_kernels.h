// Internal to PackedMatrix: dot products of packed columns with a few dense ones, and unpacking,
// for AVX-512 (with VBMI2), AVX2 and plain C++; chosen when the program runs.
//
// Columns stand in groups of 16, rows in steps of 32, both filled up with zeros. A line is a pair
// of rows (2p, 2p + 1) of a group: (c, 2p), (c, 2p + 1), (c + 1, 2p), … , 32 entries. Without a
// mask every entry has its value: 16 lines are a tile for matrix units (amx_tiles.h). With one, a
// bit for each entry says whether it has a value, and values follow each other from where the group
// begins; 32 behind the last one may be read.
//
// Codes with N of every M rows may stand with places instead (grouped_kernels.h), quantised weights
// in the blocks of their file (quantised_kernels.h), masked codes of ten bits and fewer as they are
// stored (short_code_kernels.h), and so do integers (integer_kernels.h).
//
// So a vector holds 16 columns, a pair of x meets it by broadcasts, nothing is summed across lanes,
// and one stream of values is read for 16 columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/nm_pattern.h"

namespace cospadi {

constexpr std::int64_t kPackedColumns = 16;    // of a group
constexpr std::int64_t kPackedRows = 32;       // of a step
constexpr std::int64_t kPackedLines = 16;      // of a step
constexpr std::int64_t kPackedEntries = 32;    // of a line
constexpr std::int64_t kMostPackedTokens = 8;  // at a time

struct PackedBytes {
    const std::uint8_t* values = nullptr;  // null: values are no bytes
    const std::uint8_t* planes = nullptr;  // bits below those of the byte, a plane after another
    std::int64_t planeBytes = 0;           // from one plane to the next
    int planeCount = 0;
    const float* columnScales = nullptr;  // (groups · 16), powers of two, of integers
    const float* rowScales = nullptr;     // (rows), besides; null: 1
};

// What a step of quantised blocks holds (quantised_kernels.h).
enum class BlockCodes { None, Nibbles, Bytes, BytesAndMinima };

// 32 rows of a column: A(i) = d q(i) + m.
struct CodeBlock {
    float d = 0, m = 0;
    const std::uint8_t* q = nullptr;
};

struct PackedGroups {
    std::int64_t columns = 0;
    std::int64_t steps = 0;
    const std::uint16_t* values = nullptr;  // bfloat16
    const std::uint32_t* mask = nullptr;    // (lines, groups); null: every entry has a value
    const std::int64_t* begin = nullptr;    // (groups) where its values begin; with a mask
    const std::uint8_t* places = nullptr;   // of values with N of every M rows; no mask then
    NmPattern pattern{};                    // N:M
    const std::uint8_t* blocks = nullptr;   // of codes, scales and minima; no values then
    std::int64_t stepBytes = 0;             // of blocks
    BlockCodes codes = BlockCodes::None;
    PackedBytes bytes{};  // no values then

    std::int64_t columnsOf(std::int64_t group) const {
        return std::min(kPackedColumns, columns - group * kPackedColumns);
    }
    bool isShortCodes() const { return bytes.values != nullptr && mask != nullptr; }
    bool isIntegers() const { return bytes.values != nullptr && mask == nullptr; }
    std::int64_t groups() const { return (columns + kPackedColumns - 1) / kPackedColumns; }
    std::int64_t rows() const { return steps * kPackedRows; }
    std::int64_t lines() const { return steps * kPackedLines; }
    const std::uint16_t* valuesOf(std::int64_t group) const {
        return values + (mask != nullptr ? begin[group] : group * lines() * kPackedEntries);
    }
    const std::uint8_t* stepOf(std::int64_t group, std::int64_t step) const {
        return blocks + (group * steps + step) * stepBytes;
    }
    const std::uint32_t* maskOf(std::int64_t group) const {
        return mask != nullptr ? mask + group * lines() : nullptr;
    }
};

enum class PackedInstructions { Plain, Avx2, Avx512 };

// Those that this processor has, the best one last.
std::vector<PackedInstructions> packedInstructions();
PackedInstructions bestPackedInstructions();
const char* name(PackedInstructions instructions);

// y[t · ldy + c] = Σ_i A(i, c) x[t · rows + i] for the columns of groups first … last − 1,
// 0 ≤ t < tokens. Groups are read again for every few tokens: as many as stay in a cache.
void packedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
               std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy);

// Groups first … last − 1 as floats: A(i, c) at to[i · (last − first) · 16 + c − first · 16].
void unpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
            std::int64_t last, float* to);

// Groups first … last − 1 with every entry: tiles of pairs, one term (amx_tiles.h). Not of dense
// bfloat16, which is so already, nor of blocks. Only with AVX-512.
void unpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last, std::uint16_t* to);

}  // namespace cospadi
