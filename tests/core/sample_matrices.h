// Matrices that tests compute with; those of equal seeds are equal.
#pragma once

#include <Eigen/Core>
#include <cstdlib>

namespace cospadi::sample {

// Entries between −1 and 1, evenly spread.
inline Eigen::MatrixXf randomMatrix(int rows, int cols, unsigned seed) {
    std::srand(seed);
    return Eigen::MatrixXf::Random(rows, cols);
}

inline Eigen::MatrixXf unitColumns(Eigen::MatrixXf a) {
    a.colwise().normalize();
    return a;
}

}  // namespace cospadi::sample
