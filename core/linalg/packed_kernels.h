// Internal to PackedMatrix: dot products of packed columns with a few dense ones, and unpacking,
// for AVX-512, AVX2 and plain C++; chosen when the program runs.
//
// Rows come in blocks of 64, the last one filled with zeros: x is padded so, and so are the mask
// and, without a mask, the values. An entry's value stands where the set bits before it in its
// column say; 32 values behind the last one may be read.
#pragma once

#include <cstdint>
#include <vector>

namespace cospadi {

constexpr std::int64_t kPackedBlock = 64;
constexpr std::int64_t kMostPackedTokens = 8;

struct PackedColumns {
    std::int64_t blocks = 0;                // of 64 rows
    const std::uint16_t* values = nullptr;  // bfloat16
    const std::uint64_t* mask = nullptr;    // (blocks, cols); null: every entry has a value
    const std::int64_t* begin = nullptr;    // (cols) where a column's values begin; with a mask
};

enum class PackedInstructions { Plain, Avx2, Avx512 };

// Those that this processor has, the best one last.
std::vector<PackedInstructions> packedInstructions();
PackedInstructions bestPackedInstructions();
const char* name(PackedInstructions instructions);

// y[t · ldy + c] = Σ_i A(i, c) x[t · blocks · 64 + i] for first ≤ c < last, 0 ≤ t < tokens ≤ 8.
void packedDot(PackedInstructions instructions, const PackedColumns& a, std::int64_t first,
               std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy);

// Columns first … last − 1 as floats, blocks · 64 each, one after the other.
void unpack(PackedInstructions instructions, const PackedColumns& a, std::int64_t first,
            std::int64_t last, float* to);

}  // namespace cospadi
