// Internal to PackedMatrix: bytes −127 … 127, every one stored, times a power of two of their
// column or of their row: the dictionaries of `packed8` as they are on disk.
//
// Columns stand in groups of 16, rows in steps of 32, as elsewhere (packed_kernels.h); the 16
// columns of a row beside each other. The scale of a column multiplies its sum, those of rows
// multiply x.
#pragma once

#include <cstdint>

#include "core/packed/packed_kernels.h"

namespace cospadi {

// As packedDot(), unpack() and unpackPairs().
void integerDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy);
void integerUnpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                   std::int64_t last, float* to);
void integerUnpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last,
                        std::uint16_t* to);

}  // namespace cospadi
