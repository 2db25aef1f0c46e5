// Internal to PackedMatrix: packedDot() and unpack() of dense bfloat16 and of masked groups with
// AVX2 (packed_kernels.h). Only where packedInstructions() has it.
#pragma once

#include <cstdint>

#include "core/packed/packed_kernels.h"

#if defined(__x86_64__)

namespace cospadi {

// For any number of tokens.
void dot256(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
            std::int64_t tokens, float* y, std::int64_t ldy);
void unpack256(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to);

}  // namespace cospadi

#endif
