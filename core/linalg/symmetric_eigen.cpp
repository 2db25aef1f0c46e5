#include "core/linalg/symmetric_eigen.h"

#include <lapacke.h>

#include <cmath>
#include <vector>

namespace cospadi {

namespace {

bool holdsNan(std::int64_t n, const float* a) {
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i <= j; ++i) {
            if (std::isnan(a[i + j * n])) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

// LAPACKE_ssyevd is told by LAPACK how much room it needs in a float, which from n = 2895 on can be
// one too small for LAPACK itself.
bool symmetricEigen(std::int64_t n, float* a, float* values) {
    if (n < 1 || holdsNan(n, a)) {
        return n < 1;
    }
    const auto size = static_cast<lapack_int>(n);
    std::vector<float> work(static_cast<std::size_t>(1 + 6 * n + 2 * n * n));
    std::vector<lapack_int> integers(static_cast<std::size_t>(3 + 5 * n));
    return LAPACKE_ssyevd_work(LAPACK_COL_MAJOR, 'V', 'U', size, a, size, values, work.data(),
                               static_cast<lapack_int>(work.size()), integers.data(),
                               static_cast<lapack_int>(integers.size())) == 0;
}

}  // namespace cospadi
