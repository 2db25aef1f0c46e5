// CudaBackend: sparse coding and dictionary updates.
#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/batches.h"
#include "gpu/cuda_backend.h"
#include "gpu/kernels/coupled_cg.h"
#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/ksvd.h"
#include "gpu/kernels/masked_cg.h"
#include "gpu/kernels/pursuit.h"
#include "gpu/kernels/reductions.h"
#include "gpu/kernels/threshold.h"

namespace cospadi {

namespace {

constexpr std::int64_t kPursuitColumns = 2048;  // enough for the product of a step to fill a device
constexpr int kStepsBetweenLooks = 8;           // at whether any column is still at work
constexpr std::int64_t kAtomsALook = 32;        // at which columns use them

}  // namespace

void CudaBackend::normalizeAtoms(Matrix& d, std::initializer_list<Matrix> scaled) {
    const DeviceBuffer<float> norms(*m_memory, d.cols);
    kernels::normalizeColumns(d.rows, d.cols, d.data.get(), norms.get(), m_memory->stream());
    for (const Matrix& a : scaled) {
        if (a.size() > 0) {
            kernels::scaleRows(a.rows, a.cols, norms.get(), a.data.get(), m_memory->stream());
        }
    }
}

std::int64_t CudaBackend::thresholdStep(const Matrix& r, float mu, std::int64_t s, Matrix& codes) {
    DeviceBuffer<unsigned long long> changes(*m_memory, 1);
    changes.clear("threshold step");
    kernels::thresholdStep(codes.rows, codes.cols, s, mu, r.data.get(), codes.data.get(),
                           changes.get(), m_memory->stream());
    unsigned long long count = 0;
    changes.download(1, &count, "threshold step");
    return static_cast<std::int64_t>(count);
}

double CudaBackend::maskedCg(const Matrix& g, const Matrix& p, int steps, double tolerance,
                             Matrix& codes) {
    const std::int64_t k = codes.rows;
    const auto limit = static_cast<float>(tolerance * tolerance);
    double overlap = 0;
    inBatches(codes.cols, codes.cols, [&](std::int64_t first, std::int64_t count) {
        overlap +=
            cgBatch(g, p.data.get() + first * k, count, steps, limit, codes.data.get() + first * k);
    });
    return overlap;
}

double CudaBackend::cgBatch(const Matrix& g, const float* p, std::int64_t columns, int steps,
                            float limit, float* codes) {
    const std::int64_t k = g.rows;
    const DeviceBuffer<float> residual(*m_memory, k * columns);
    const DeviceBuffer<float> direction(*m_memory, k * columns);
    const DeviceBuffer<float> image(*m_memory, k * columns);
    const DeviceBuffer<std::uint8_t> mask(*m_memory, k * columns);
    const DeviceBuffer<float> norm(*m_memory, columns);
    const DeviceBuffer<float> goal(*m_memory, columns);
    DeviceBuffer<unsigned> busy(*m_memory, 1);
    const auto applyGram = [&](const float* from, float* to, Precision precision) {
        m_blas->gemm(Op::None, Op::None, k, columns, k, 1, g.data.get(), k, from, k, 0, to, k,
                     precision);
    };
    applyGram(codes, residual.get(), Precision::Float32);
    kernels::startCg(k, columns, limit, p, codes, residual.get(), direction.get(), mask.get(),
                     norm.get(), goal.get(), m_memory->stream());
    // A step that is only on the way may be a little off; the last refit, which has a tolerance,
    // not.
    const Precision precision = limit > 0 ? Precision::Float32 : m_precision;
    for (int step = 0; step < steps; ++step) {
        applyGram(direction.get(), image.get(), precision);
        busy.clear("conjugate gradients");
        kernels::stepCg(k, columns, image.get(), mask.get(), goal.get(), codes, residual.get(),
                        direction.get(), norm.get(), busy.get(), m_memory->stream());
        if ((step + 1) % kStepsBetweenLooks == 0 && step + 1 < steps) {
            unsigned count = 0;
            busy.download(1, &count, "conjugate gradients");
            if (count == 0) {
                break;
            }
        }
    }
    kernels::dot(k * columns, codes, residual.get(), m_scalars->get() + 1, m_scalars->get(),
                 m_memory->stream());
    return scalar("conjugate gradients");
}

double CudaBackend::coupledCg(const CoupledSystem& system, int steps, double tolerance,
                              Matrix& codes, Matrix& codesMetric) {
    const std::int64_t k = codes.rows;
    const std::int64_t columns = codes.cols;
    Matrix residual = unset(k, columns);
    Matrix direction = unset(k, columns);
    Matrix directionMetric = unset(k, columns);
    Matrix image = unset(k, columns);
    const DeviceBuffer<std::uint8_t> mask(*m_memory, k * columns);
    const DeviceBuffer<double> sums(*m_memory, 2 * std::int64_t{kernels::kCoupledBlocks});
    const DeviceBuffer<double> scalars(*m_memory, 2 * kernels::CoupledState::kScalars);
    kernels::CoupledState state;
    state.k = k;
    state.columns = columns;
    state.inverseDiagonal = system.inverseDiagonal.data.get();
    state.codes = codes.data.get();
    state.codesMetric = codesMetric.data.get();
    state.residual = residual.data.get();
    state.direction = direction.data.get();
    state.directionMetric = directionMetric.data.get();
    state.image = image.data.get();
    state.mask = mask.get();
    state.sums = sums.get();
    state.scalars = scalars.get();
    gemm(Op::None, Op::None, 1, system.h, codesMetric, 0, residual);
    kernels::startCoupledCg(state, system.p.data.get(), system.squaredNorm, m_memory->stream());
    for (int step = 0; step < steps; ++step) {
        gemm(Op::None, Op::None, 1, direction, system.metric, 0, directionMetric);
        gemm(Op::None, Op::None, 1, system.h, directionMetric, 0, image);
        const bool last = step + 1 == steps;
        kernels::stepCoupledCg(state, step, last, tolerance, m_memory->stream());
        if ((step + 1) % kStepsBetweenLooks == 0 && !last) {
            double held[2 * kernels::CoupledState::kScalars];
            scalars.download(std::size(held), held, "coupled conjugate gradients");
            if (held[kernels::CoupledState::setBehind(step) + kernels::CoupledState::kDone] != 0) {
                break;
            }
        }
    }
    return dot(codes, residual);
}

void CudaBackend::ompEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) {
    const std::int64_t k = codes.rows;
    inBatches(codes.cols, kPursuitColumns, [&](std::int64_t first, std::int64_t count) {
        ompBatch(g, p.data.get() + first * k, count, s, codes.data.get() + first * k);
    });
}

void CudaBackend::ompBatch(const Matrix& g, const float* p, std::int64_t columns, std::int64_t s,
                           float* codes) {
    const std::int64_t k = g.rows;
    const DeviceBuffer<float> correlation(*m_memory, k * columns);
    const DeviceBuffer<std::uint8_t> taken(*m_memory, k * columns);
    const DeviceBuffer<float> direction(*m_memory, k * columns);
    const DeviceBuffer<float> image(*m_memory, k * columns);
    const DeviceBuffer<float> basis(*m_memory, k * s * columns);
    const DeviceBuffer<float> inverse(*m_memory, s * (s + 1) / 2 * columns);
    const DeviceBuffer<float> projections(*m_memory, s * columns);
    const DeviceBuffer<float> weights(*m_memory, s * columns);
    const DeviceBuffer<double> solution(*m_memory, s * columns);
    const DeviceBuffer<std::int32_t> atoms(*m_memory, s * columns);
    const DeviceBuffer<std::int32_t> chosen(*m_memory, columns);
    const DeviceBuffer<std::int32_t> pending(*m_memory, columns);
    DeviceBuffer<unsigned> busy(*m_memory, 1);
    kernels::PursuitState state;
    state.k = k;
    state.s = s;
    state.columns = columns;
    state.correlation = correlation.get();
    state.taken = taken.get();
    state.direction = direction.get();
    state.basis = basis.get();
    state.inverse = inverse.get();
    state.projections = projections.get();
    state.weights = weights.get();
    state.solution = solution.get();
    state.atoms = atoms.get();
    state.chosen = chosen.get();
    state.pending = pending.get();
    kernels::startPursuit(state, p, m_memory->stream());
    for (std::int64_t step = 1; step <= k; ++step) {
        busy.clear("pursuit");
        kernels::selectAtoms(state, g.data.get(), busy.get(), m_memory->stream());
        m_blas->gemm(Op::None, Op::None, k, columns, k, 1, g.data.get(), k, direction.get(), k, 0,
                     image.get(), k, Precision::Float32);
        kernels::advance(state, image.get(), m_memory->stream());
        if (step >= s) {  // only columns that passed over an atom are not done by now
            unsigned count = 0;
            busy.download(1, &count, "pursuit");
            if (count == 0) {
                break;
            }
        }
    }
    kernels::finish(state, codes, m_memory->stream());
}

void CudaBackend::ksvdSweep(int powerIterations, Matrix& e, Matrix& d, Matrix& codes) {
    const std::int64_t d1 = e.rows;
    const std::int64_t n = e.cols;
    const std::int64_t k = d.cols;
    if (n == 0) {
        return;
    }
    cudaStream_t stream = m_memory->stream();
    const std::int64_t group = std::min(kAtomsALook, k);
    const DeviceBuffer<std::int32_t> columns(*m_memory, n * group);
    const DeviceBuffer<float> coefficients(*m_memory, n * group);
    const DeviceBuffer<std::int32_t> counts(*m_memory, group);
    const DeviceBuffer<float> atoms(*m_memory, d1 * group);
    const DeviceBuffer<float> u(*m_memory, d1);
    const DeviceBuffer<float> next(*m_memory, d1);
    const DeviceBuffer<float> partial(*m_memory, d1 * kernels::kPanels);
    const DeviceBuffer<double> norms(*m_memory, kernels::normParts(d1));
    const bool exact = powerIterations == 0;
    const DeviceBuffer<double> residual(*m_memory, exact ? d1 * n : 0);
    const DeviceBuffer<double> gram(*m_memory, exact ? d1 * d1 : 0);
    const DeviceBuffer<double> vector(*m_memory, exact ? d1 : 0);
    const auto update = [&](std::int64_t i, const kernels::AtomColumns& atom) {
        kernels::Direction direction;
        direction.before = atom.atom;
        direction.next = next.get();
        direction.norms = norms.get();
        direction.u = u.get();
        if (exact) {
            kernels::residualOf(atom, residual.get(), stream);
            m_blas->syrkDouble(Op::None, d1, atom.used, residual.get(), d1, 0, gram.get());
            if (!m_factorizations->leadingEigenvector(d1, gram.get(), vector.get())) {
                throw Error("the leading singular vector of a residual did not converge", "K-SVD",
                            "use power iterations instead of the exact update");
            }
            kernels::narrow(d1, vector.get(), u.get(), stream);
            direction.before = u.get();
        }
        for (int pass = 0; pass < powerIterations; ++pass) {
            kernels::applyResidual(atom, direction, partial.get(), stream);
            kernels::sumPanels(atom, partial.get(), next.get(), norms.get(), stream);
            direction.before = u.get();
            direction.parts = kernels::normParts(d1);
        }
        direction.u = d.data.get() + i * d1;
        kernels::replaceAtom(atom, direction, stream);
    };
    std::array<std::int32_t, kAtomsALook> used{};
    for (std::int64_t first = 0; first < k; first += group) {
        // An update changes its own atom and row alone: the others of the group stay as listed.
        const std::int64_t count = std::min(group, k - first);
        kernels::listColumns(k, n, first, count, codes.data.get(), columns.get(),
                             coefficients.get(), counts.get(), stream);
        checkCuda(cudaMemcpyAsync(atoms.get(), d.data.get() + first * d1,
                                  static_cast<std::size_t>(count * d1) * sizeof(float),
                                  cudaMemcpyDeviceToDevice, stream),
                  "K-SVD");
        counts.download(count, used.data(), "K-SVD");
        for (std::int64_t i = 0; i < count; ++i) {
            kernels::AtomColumns atom;
            atom.d1 = d1;
            atom.k = k;
            atom.used = used[static_cast<std::size_t>(i)];
            atom.columns = columns.get() + i * n;
            atom.coefficients = coefficients.get() + i * n;
            atom.atom = atoms.get() + i * d1;
            atom.e = e.data.get();
            atom.codes = codes.data.get() + first + i;
            if (atom.used > 0) {
                update(first + i, atom);
            }
        }
    }
}

}  // namespace cospadi
