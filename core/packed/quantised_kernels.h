// Internal to PackedMatrix: columns of GGUF's blocks, 32 rows each with codes of 4 or 8 bits, a
// scale d and, of 4 bits, a minimum m, both float16: A(i, c) = d q(i, c) + m. Q4_0, whose values
// are d (q − 8), has m = −8 d.
//
// Columns stand in groups of 16, rows in steps of 32, as elsewhere (packed_kernels.h). A step has
// 16 scales, of 4 bits 16 minima, then words of 32 bits: 8 or 4 rows of a column, the lowest bits
// first; the same word of all columns beside each other. So a vector holds columns, and a code is
// used where it stands in its word, times a power of two that x or d is divided by: nothing is
// shifted into place, nothing summed across lanes. Sums are of one block, then scaled.
//
// Kernels for AVX2, in plain C++ for everything else; for matrix units codes alone
// (quantised_pairs.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/packed/packed_kernels.h"
#include "core/tensors/dtype.h"

namespace cospadi {

// Bits of a code as kept in memory: 4 of Q4_0 and Q4_1, 8 of Q8_0, 0 of every other type.
int quantisedBits(DType type);
bool hasMinima(int bits);
std::int64_t quantisedHeadBytes(int bits);  // of scales and minima, before a step's words
std::int64_t quantisedStepBytes(int bits);  // of a step, all 16 columns
constexpr std::int64_t kQuantisedWordBytes = kPackedColumns * 4;  // the same word of all columns

// Puts a column of `steps` blocks, as they stand in a file, into place `column` of a group. False
// where a scale or minimum is not finite or, of Q4_0, has no minimum in float16.
bool packBlocks(DType type, const std::byte* blocks, std::int64_t steps, std::int64_t column,
                std::uint8_t* group);

// As packedDot().
void quantisedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                  std::int64_t last, const float* x, std::int64_t tokens, float* y,
                  std::int64_t ldy);
// As unpack(): the values that dequantize() gives.
void quantisedUnpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                     std::int64_t last, float* to);
// Groups first … last − 1, the codes alone: tiles of pairs, one term (amx_tiles.h). Only with
// AVX-512.
void quantisedPairs(const PackedGroups& a, std::int64_t first, std::int64_t last,
                    std::uint16_t* to);

}  // namespace cospadi
