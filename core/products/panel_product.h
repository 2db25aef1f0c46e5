// Internal to the pursuit: C (n, 8) ← C − A (n, t) M (t, 8), float32, for AVX-512, AVX2 and plain
// C++; chosen when the program runs. A is read once from the second-level cache for eight columns,
// where a matrix-vector product a column reads it eight times.
#pragma once

#include <cstdint>

namespace cospadi {

constexpr std::int64_t kPanelColumns = 8;
constexpr std::int64_t kPanelRows = 16;  // n is a multiple of this

// A and C column-major with leading dimension n; M row-major: m[p · 8 + b].
void subtractPanelProduct(const float* a, std::int64_t n, std::int64_t t, const float* m, float* c);

}  // namespace cospadi
