// Internal to PackedMatrix: columns of blocks, 32 rows each with codes of 4 or 8 bits, a scale d
// and, but for GGUF's of 8 bits, a minimum m, both float16: A(i, c) = d q(i, c) + m. Q4_0, whose
// values are d (q − 8), has m = −8 d.
//
// Columns stand in groups of 16, rows in steps of 32, as elsewhere (packed_kernels.h). A step has
// 16 scales, 16 minima where there are any, then words of 32 bits: 8 or 4 rows of a column, the
// lowest bits first; the same word of all columns beside each other. So a vector holds columns, and
// a code is used where it stands in its word, times a power of two that x or d is divided by:
// nothing is shifted into place, nothing summed across lanes. Sums are of one block, then scaled.
// Bytes are signed: with minima they are q − 128, and sums over a block get m + 128 d.
//
// Kernels for AVX2, in plain C++ for everything else; for matrix units codes alone
// (quantised_pairs.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/packed/packed_kernels.h"
#include "core/tensors/dtype.h"

namespace cospadi {

// Nibbles of Q4_0 and Q4_1, bytes of Q8_0, none of every other type.
BlockCodes blockCodesOf(DType type);
constexpr bool hasMinima(BlockCodes codes) {
    return codes == BlockCodes::Nibbles || codes == BlockCodes::BytesAndMinima;
}
// What a code stands below q.
constexpr int codeOffset(BlockCodes codes) { return codes == BlockCodes::BytesAndMinima ? 128 : 0; }
constexpr int codeBits(BlockCodes codes) { return codes == BlockCodes::Nibbles ? 4 : 8; }
constexpr std::int64_t kBlockScaleBytes = kPackedColumns * 2;     // of scales, or minima
constexpr std::int64_t kQuantisedWordBytes = kPackedColumns * 4;  // the same word of all columns
// Of scales and minima, before a step's words.
constexpr std::int64_t quantisedHeadBytes(BlockCodes codes) {
    return hasMinima(codes) ? 2 * kBlockScaleBytes : kBlockScaleBytes;
}
// Of a step, all 16 columns.
constexpr std::int64_t quantisedStepBytes(BlockCodes codes) {
    return quantisedHeadBytes(codes) + kPackedRows * codeBits(codes) / 32 * kQuantisedWordBytes;
}

// Calls body(std::integral_constant) for the kind that blocks have.
template <typename Body>
void withBlockCodes(BlockCodes codes, const Body& body) {
    switch (codes) {
        case BlockCodes::Nibbles:
            return body(std::integral_constant<BlockCodes, BlockCodes::Nibbles>());
        case BlockCodes::Bytes:
            return body(std::integral_constant<BlockCodes, BlockCodes::Bytes>());
        case BlockCodes::BytesAndMinima:
            return body(std::integral_constant<BlockCodes, BlockCodes::BytesAndMinima>());
        case BlockCodes::None:
            return;
    }
}

// Puts a column of `steps` blocks, as they stand in a file, into place `column` of a group. False
// where a scale or minimum is not finite or, of Q4_0, has no minimum in float16.
bool packBlocks(DType type, const std::byte* blocks, std::int64_t steps, std::int64_t column,
                std::uint8_t* group);
// The same of one block that is no file's, into a step with minima. False where float16 has no
// such scale or minimum.
bool packBlock(BlockCodes codes, const CodeBlock& block, std::int64_t column, std::uint8_t* step);

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
