// How the numbers of a factor are stored: coefficients of 8 to 16 bits, dictionaries and left
// factors of 16 or 8. What is rounded here is a float that the file gives back exactly.
#pragma once

#include <Eigen/Core>
#include <string>

namespace cospadi {

// How a number of fewer than 16 bits is stored: as bfloat16 without its lowest bits (paper §4.2.1),
// or with a shorter exponent (core/base/short_float.h); what it is multiplied by then carries the
// scale.
enum class CoefficientFormat { ShortMantissa, ShortExponent };
// How a short mantissa is come by: the nearest value, or bfloat16's lowest bits cut off (paper).
enum class CoefficientRounding { Nearest, Truncate };

const char* name(CoefficientFormat format);
CoefficientFormat coefficientFormatFromName(const std::string& name);  // mantissa, exponent; Error

// `coefficients` (r, n) as they are stored. Where the format wants it, powers of two go from each
// of their rows into that column of `columns` (m, r), which keeps all its digits; the product stays
// as it is but for the rounding. A short exponent is always rounded to nearest.
void roundCoefficients(CoefficientFormat format, int bits, CoefficientRounding rounding,
                       Eigen::MatrixXf& columns, Eigen::MatrixXf& coefficients);

// Atoms as they are stored in eight bits an entry: −127 … 127 times a power of two of the atom's
// own. Every atom is stretched, by less than two, until its largest entry is 127 times that power;
// `stretch` (k) says by how much, so that the codes can be divided by it. Every entry is a bfloat16
// then. A zero atom stays as it is.
Eigen::VectorXf roundAtomsToBytes(Eigen::MatrixXf& dictionary);
// A dictionary, or a left factor, as it is stored in 16 bits an entry, or 8; what it is multiplied
// by has to be divided by the columns' stretch (k): ones, but where there are 8.
Eigen::VectorXf roundColumns(int bits, Eigen::MatrixXf& columns);
// The least power of two of which 127 reach `largest` > 0: that of such an atom.
int byteExponent(float largest);

}  // namespace cospadi
