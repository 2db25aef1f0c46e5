#include "core/patterns/pattern_analysis.h"

#include <algorithm>
#include <functional>

namespace cospadi {

PatternAnalysis analysePattern(const SparseDictionaryFactors& factors, int bins) {
    const Eigen::MatrixXf& dictionary = factors.dictionary;
    const Eigen::Index k = dictionary.cols();
    const Eigen::VectorXf norms = dictionary.colwise().norm();
    PatternAnalysis analysis;

    std::vector<float> contributions;
    for (Eigen::Index j = 0; j < factors.codes.cols(); ++j) {
        for (Eigen::Index i = 0; i < k; ++i) {
            if (factors.codes(i, j) != 0) {
                contributions.push_back(factors.codes(i, j) * norms(i));
            }
        }
    }
    analysis.coefficients =
        histogramOf(Eigen::Map<const Eigen::MatrixXf>(
                        contributions.data(), static_cast<Eigen::Index>(contributions.size()), 1),
                    bins);

    Eigen::MatrixXf unit = dictionary;
    for (Eigen::Index i = 0; i < k; ++i) {
        if (norms(i) > 0) {
            unit.col(i) /= norms(i);
        }
    }
    const Eigen::MatrixXf cosines = (unit.transpose() * unit).cwiseAbs();
    double sum = 0;
    for (Eigen::Index i = 0; i < k; ++i) {
        double greatest = 0;
        for (Eigen::Index other = 0; other < k; ++other) {
            if (other != i) {
                greatest = std::max(greatest, static_cast<double>(cosines(other, i)));
                sum += cosines(other, i);
            }
        }
        analysis.coherence.push_back(greatest);
    }
    std::sort(analysis.coherence.begin(), analysis.coherence.end(), std::greater<>());
    analysis.meanAbsoluteCosine = k > 1 ? sum / static_cast<double>(k * (k - 1)) : 0;
    return analysis;
}

}  // namespace cospadi
