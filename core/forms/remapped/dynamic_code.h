// A number of [−1, 1] in eight bits, with digits to spare near zero: the signed "dynamic" data type
// of Dettmers (8-bit approximations, ICLR 2016; 8-bit optimizers, arXiv 2110.02861), which Dobi-SVD
// stores factors in. Its 256 values are 0, 1 and, for e = 0 … 6, ±10^(e − 6) times the midpoints of
// 2^e equal parts of [0.1, 1]: within 0.7 % of full scale at its upper end, and within a decade at
// 10⁻⁶. Of a column of whose entries some are a thousandth of others, all keep a digit or two,
// where integers would have none of the small ones.
#pragma once

#include <cstdint>

namespace cospadi {

float dynamicValue(std::uint8_t code);  // ascending with the code: −0.993 … 1
std::uint8_t nearestDynamicCode(
    float value);  // of two as near, the lower; beyond the ends, the end

}  // namespace cospadi
