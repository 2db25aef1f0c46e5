// Floats into the blocks of GGUF's Q4_K, Q5_K and Q6_K: 256 elements in groups that have scales of
// few bits each, in a unit that the block stores in float16. The layouts are those that
// quantized_blocks.cpp reads.
//
//   Q4_K, Q5_K   8 groups of 32    x ≈ (d s) q − e m   q of 4 or 5 bits, s and m of 6, all ≥ 0
//   Q6_K         16 groups of 16   x ≈ (d s) q         q in −32…31, s in −128…127
//
// A group's range alone makes a poor scale: one outlier costs all others their precision. As
// llama.cpp's reference does, a group tries ranges about its own, fits scale and minimum to the
// codes of each by least squares and takes what errs least. Two things are added: once the scales
// are rounded to the block's unit every group also tries their neighbours, and the block as a whole
// is held against that of the plain ranges. So it never errs more than a plain one.
//
// What errs is Σ w (x − x̃)². Nothing is known here of the inputs that an element meets, so its own
// size stands for how much it matters, as in the reference: w = √(mean x² of the group) + |x|, and
// x² for Q6_K.
#pragma once

#include <cstdint>
#include <string>

namespace cospadi {

// 256 finite elements into one block: Q4_K (bits 4) or Q5_K (bits 5), and Q6_K. Both throw Error
// naming `where` for a unit that float16 cannot hold.
void quantizeToLines(int bits, const float* x, std::uint8_t* block, const std::string& where);
void quantizeToScales(const float* x, std::uint8_t* block, const std::string& where);

}  // namespace cospadi
