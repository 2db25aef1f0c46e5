// The work of a dictionary's solve, in floating-point operations, for estimates of time: products
// are counted, and of what iterates the usual number of steps.
#pragma once

#include "core/methods/matrix_options.h"

namespace cospadi {

// That the options ask for: K-SVD without a power iteration is the exact one.
DictionaryUpdate dictionaryUpdateOf(const MatrixOptions& options);

// Of columns a refit of their coefficients, by conjugate gradients.
double supportRefitWork(double k, double d2);

// d1: rows of the dictionary; d2: columns of the codes; k: atoms.
double fastWork(double d1, double d2, double k, int iterations);

// What fast takes more for d2 columns of codes that a metric (d2, d2) couples.
double couplingWork(double d2, double k, int iterations);

// nonZeros: s, entries a column.
double ksvdWork(const MatrixOptions& options, double d1, double d2, double k, double nonZeros);

}  // namespace cospadi
