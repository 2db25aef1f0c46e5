// Internal to PackedMatrix: packedDot(), unpack() and unpackPairs() of dense and of masked groups
// with AVX-512 and VBMI2 (packed_kernels.h). Only where packedInstructions() has them.
#pragma once

#include <cstdint>

#include "core/packed/packed_kernels.h"

#if defined(__x86_64__)

namespace cospadi {

void dot512(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
            std::int64_t tokens, float* y, std::int64_t ldy);
void unpack512(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to);
void unpackPairs512(const PackedGroups& a, std::int64_t first, std::int64_t last,
                    std::uint16_t* to);

}  // namespace cospadi

#endif
