// Quotients rounded up: of so many pieces, blocks or tasks.
#pragma once

#include <cstdint>

namespace cospadi {

// a ≥ 0, b > 0.
constexpr std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace cospadi
