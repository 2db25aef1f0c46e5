// The compressed forms of a weight matrix W (d1, d2) in activation space: what every method yields,
// what matrix files hold and what the forward pass applies.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <variant>

namespace cospadi {

// How a number of fewer than 16 bits is stored: as bfloat16 without its lowest bits (paper §4.2.1),
// or with a shorter exponent (core/base/short_float.h); what it is multiplied by then carries the
// scale.
enum class CoefficientFormat { ShortMantissa, ShortExponent };
// How a short mantissa is come by: the nearest value, or bfloat16's lowest bits cut off (paper).
enum class CoefficientRounding { Nearest, Truncate };

const char* name(CoefficientFormat format);
CoefficientFormat coefficientFormatFromName(const std::string& name);  // mantissa, exponent; Error

// W ≈ B C, B (d1, r), C (r, d2).
struct LowRankFactors {
    Eigen::MatrixXf left;
    Eigen::MatrixXf right;
    int leftBits = 16;   // that a stored entry of B has; 8: see roundAtomsToBytes
    int rightBits = 16;  // that one of C has; 16: bfloat16, whatever the format
    CoefficientFormat rightFormat = CoefficientFormat::ShortMantissa;
};

// Which side of a layer the dictionary spans.
//   Input   W ≈ D_a S      D_a (d1, k), S (k, d2): the paper's form
//   Output  W ≈ (D S)ᵀ     D   (d2, k), S (k, d1): a code for every input channel
// Both store d·k dictionary entries and s non-zeros a column of S; with the dictionary on the
// shorter side a layer that is not square gets more atoms and a far smaller error for its bytes.
enum class DictionarySide { Input, Output };

const char* name(DictionarySide side);
DictionarySide dictionarySideFromName(const std::string& name);  // "input" or "output"; Error

// At most s non-zeros a column of S, which is held dense here; files hold its mask and values.
struct SparseDictionaryFactors {
    Eigen::MatrixXf dictionary;
    Eigen::MatrixXf codes;
    std::int64_t s = 0;
    int coefficientBits = 16;  // that a stored value has; 16: bfloat16, whatever the format
    int dictionaryBits = 16;   // that a stored entry of an atom has; 8: see roundAtomsToBytes
    CoefficientFormat coefficientFormat = CoefficientFormat::ShortMantissa;
    DictionarySide side = DictionarySide::Input;
};

// The codes as they are stored. Where the format wants it, powers of two go from the codes of an
// atom into the atom, which keeps all its digits; D S stays as it is but for the rounding. C's rows
// and B's columns likewise. A short exponent is always rounded to nearest, as is low rank.
void roundCodes(SparseDictionaryFactors& factors,
                CoefficientRounding rounding = CoefficientRounding::Nearest);
void roundCodes(LowRankFactors& factors);

// Atoms as they are stored in eight bits an entry: −127 … 127 times a power of two of the atom's
// own. Every atom is stretched, by less than two, until its largest entry is 127 times that power;
// `stretch` (k) says by how much, so that the codes can be divided by it. Every entry is a bfloat16
// then. A zero atom stays as it is.
Eigen::VectorXf roundAtomsToBytes(Eigen::MatrixXf& dictionary);
// The least power of two of which 127 reach `largest` > 0: that of such an atom.
int byteExponent(float largest);

using Factorization = std::variant<LowRankFactors, SparseDictionaryFactors>;

Eigen::MatrixXf recompose(const Factorization& factors);  // (d1, d2)

}  // namespace cospadi
