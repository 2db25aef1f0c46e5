// Tries the verbs that factorize and solve, and Gram matrices with their factors. Vectors that may
// turn are compared by what they hold of a matrix.
#pragma once

namespace cospadi {

class VerbTrial;

void tryFactorizations(VerbTrial& trial);

}  // namespace cospadi
