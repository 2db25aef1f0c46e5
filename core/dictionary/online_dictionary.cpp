#include "core/dictionary/online_dictionary.h"

#include <algorithm>

#include "core/base/ceil_divide.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

// Columns [first, first + count) where they are.
Matrix columnsOf(const Matrix& a, std::int64_t first, std::int64_t count) {
    return {a.rows, count, std::shared_ptr<float>(a.data, a.data.get() + first * a.rows)};
}

}  // namespace

void updateAtomsInTurn(Backend& backend, const Matrix& a, const Matrix& b, Matrix& d) {
    const Eigen::MatrixXf hostA = backend.download(a);
    const Eigen::MatrixXf hostB = backend.download(b);
    Eigen::MatrixXf atoms = backend.download(d);
    const float smallest = 1e-12F * hostA.diagonal().maxCoeff();
    for (Eigen::Index j = 0; j < atoms.cols(); ++j) {
        if (!(hostA(j, j) > smallest)) {
            continue;
        }
        const Eigen::VectorXf best =
            hostB.col(j) - atoms * hostA.col(j) + hostA(j, j) * atoms.col(j);
        const float length = best.norm();
        if (length > 0) {
            atoms.col(j) = best / length;
        }
    }
    backend.copy(backend.upload(atoms), d);
}

PhaseSeconds onlinePass(Backend& backend, const Matrix& w, const Encode& encode, Matrix& d,
                        Matrix& codes) {
    PhaseClock clock(backend);
    PhaseSeconds phases;
    const std::int64_t k = d.cols;
    // From the codes anew, pass by pass: sums that only ever change gather what rounding leaves.
    Matrix a = backend.zeros(k, k);
    Matrix b = backend.zeros(w.rows, k);
    Matrix g = backend.zeros(k, k);
    backend.syrk(Op::None, codes, a);
    backend.gemm(Op::None, Op::Transpose, 1, w, codes, 0, b);
    const std::int64_t batch = ceilDivide(w.cols, kOnlineBatches);
    for (std::int64_t first = 0; first < w.cols; first += batch) {
        const std::int64_t count = std::min(batch, w.cols - first);
        const Matrix columns = columnsOf(w, first, count);
        Matrix before = columnsOf(codes, first, count);
        Matrix p = backend.zeros(k, count);
        Matrix now = backend.zeros(k, count);
        phases.dictionary += clock.lap();
        backend.syrk(Op::Transpose, d, g);
        backend.gemm(Op::Transpose, Op::None, 1, d, columns, 0, p);
        encode(g, p, now);
        phases.coding += clock.lap();
        for (const auto& [sign, those] : {std::pair(-1.0F, before), std::pair(1.0F, now)}) {
            backend.gemm(Op::None, Op::Transpose, sign, those, those, 1, a);
            backend.gemm(Op::None, Op::Transpose, sign, columns, those, 1, b);
        }
        backend.copy(now, before);
        updateAtomsInTurn(backend, a, b, d);
    }
    phases.dictionary += clock.lap();
    return phases;
}

}  // namespace cospadi::solver
