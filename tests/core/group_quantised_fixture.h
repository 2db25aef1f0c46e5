// Weights quantised in groups of inputs, for tests: options of RTN and GPTQ, Gram matrices of
// correlated inputs, and the codes of a result.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"

namespace cospadi::group_quantised {

inline const GroupQuantisedCodes& codesOf(const CompressedMatrix& matrix) {
    return dynamic_cast<const GroupQuantisedWeight&>(*matrix.weight).codes();
}

// Of inputs that follow each other as a random walk that forgets: neighbours correlate by 0.9.
inline Eigen::MatrixXd correlatedGram(int d1, int samples, unsigned seed) {
    std::srand(seed);
    Eigen::MatrixXd x = Eigen::MatrixXd::Random(samples, d1);
    for (Eigen::Index i = 1; i < d1; ++i) {
        x.col(i) = 0.9 * x.col(i - 1) + std::sqrt(1 - 0.81) * x.col(i);
    }
    x *= Eigen::VectorXd::LinSpaced(d1, 0.5, 2).asDiagonal();
    return x.transpose() * x;
}

inline MatrixOptions optionsOf(const Method& method, int bits, int groupSize, const char* zeroPoint,
                               double damp = 0.01, const char* actOrder = "off") {
    MatrixOptions options;
    options.method = &method;
    options.own["bits"] = std::int64_t{bits};
    options.own["group_size"] = std::int64_t{groupSize};
    setOwnOption(options, "zero_point", zeroPoint);
    options.own["damp"] = damp;
    setOwnOption(options, "act_order", actOrder);
    return options;
}

inline CompressedMatrix compressed(Backend& backend, const Eigen::MatrixXf& w,
                                   const Eigen::MatrixXd& gram, const MatrixOptions& options) {
    const Whitening whitening(gram, "layer");
    return compressMatrix(backend, w, &whitening, options);
}

}  // namespace cospadi::group_quantised
