// Scales of quantised blocks, which stand in the file in float16.
#pragma once

#include <cstdint>
#include <string>

namespace cospadi {

// Stores `scale` in the two bytes at `target` and returns what is read back from there. Throws
// Error naming `where` for one beyond float16, and for NaN.
float storeHalfScale(float scale, std::uint8_t* target, const std::string& where);

// 1 / scale; 0 for a scale so small that float16 has 0 for it anyway.
float inverseScale(float scale);

}  // namespace cospadi
