#include "core/linalg/symmetric_pencil.h"

#include <lapacke.h>

#include <utility>

#include "core/base/error.h"

namespace cospadi {

PencilSpectrum pencilSpectrum(Eigen::MatrixXd a, Eigen::MatrixXd b, const char* what) {
    const auto n = static_cast<lapack_int>(a.rows());
    PencilSpectrum spectrum;
    spectrum.values.resize(a.rows());
    if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, a.data(), n, b.data(), n,
                       spectrum.values.data()) != 0) {
        throw Error("the two metrics have no common eigenvectors", what,
                    "use more calibration text, or a ridge");
    }
    spectrum.vectors = std::move(a);
    return spectrum;
}

}  // namespace cospadi
