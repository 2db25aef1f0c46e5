// What a finished matrix of a run tells about its dictionary and codes, beyond the pattern itself.
// Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/explore/matrix_portrait.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"

namespace cospadi {

struct PatternAnalysis {
    // Of the non-zero coefficients, each times the norm of its atom D_a: what it contributes,
    // whichever way the scale is shared between D_a and S.
    Histogram coefficients;
    // (k), descending: for each atom the largest |cosine| with any other atom of D_a. 1 = two atoms
    // point the same way. Atoms that are zero count 0.
    std::vector<double> coherence;
    double meanAbsoluteCosine = 0;  // over all pairs of atoms
};

// bins of the histogram. O(k² d1) for the cosines.
PatternAnalysis analysePattern(const SparseDictionaryFactors& factors, int bins = 80);

}  // namespace cospadi
