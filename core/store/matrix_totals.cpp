#include "core/store/matrix_totals.h"

#include <cmath>

namespace cospadi {

std::optional<PhaseTotals> phaseTotals(const std::vector<MatrixRow>& matrices) {
    PhaseTotals sum;
    for (const MatrixRow& matrix : matrices) {
        sum.coding += matrix.codingSeconds;
        sum.dictionary += matrix.dictionarySeconds;
        sum.total += matrix.seconds;
        sum.iterations += matrix.iterations;
    }
    sum.rest = sum.total - sum.coding - sum.dictionary;
    return matrices.empty() || !std::isfinite(sum.rest) ? std::nullopt : std::optional(sum);
}

double totalMultiplications(const std::vector<MatrixRow>& matrices) {
    double sum = 0;
    for (const MatrixRow& matrix : matrices) {
        const bool isRemoved = matrix.bytes == 0 && matrix.denseBytes > 0;  // and has none
        if (matrix.multiplications <= 0 && !isRemoved) {
            return 0;
        }
        sum += static_cast<double>(matrix.multiplications);
    }
    return sum;
}

double denseMultiplications(const std::vector<MatrixRow>& matrices) {
    double sum = 0;
    for (const MatrixRow& matrix : matrices) {
        sum += static_cast<double>(matrix.d1) * static_cast<double>(matrix.d2);
    }
    return sum;
}

}  // namespace cospadi
