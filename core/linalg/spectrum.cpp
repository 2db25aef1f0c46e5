#include "core/linalg/spectrum.h"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace cospadi {

std::vector<double> singularValues(const Eigen::MatrixXf& w) {
    const Eigen::MatrixXd wide = w.cast<double>();
    Eigen::MatrixXd gram = w.rows() <= w.cols() ? Eigen::MatrixXd(wide * wide.transpose())
                                                : Eigen::MatrixXd(wide.transpose() * wide);
    const auto n = static_cast<lapack_int>(gram.rows());
    std::vector<double> values(static_cast<std::size_t>(n));
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'U', n, gram.data(), n, values.data()) != 0) {
        throw Error("the singular values did not converge", "spectrum", "check the model file");
    }
    std::reverse(values.begin(), values.end());
    for (double& value : values) {
        value = std::sqrt(std::max(0.0, value));
    }
    return values;
}

std::vector<double> truncationErrors(const std::vector<double>& values) {
    std::vector<double> errors(values.size() + 1, 0.0);
    double tail = 0;
    for (std::size_t r = values.size(); r-- > 0;) {
        tail += values[r] * values[r];
        errors[r] = tail;
    }
    for (double& error : errors) {
        error = tail > 0 ? std::sqrt(error / tail) : 0;
    }
    return errors;
}

double frobeniusNorm(const std::vector<double>& values) {
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

}  // namespace cospadi
