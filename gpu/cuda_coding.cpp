// CudaBackend: sparse coding and dictionary updates.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "core/base/batches.h"
#include "gpu/cuda_backend.h"
#include "gpu/kernels/coupled_cg.h"
#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/ksvd.h"
#include "gpu/kernels/masked_cg.h"
#include "gpu/kernels/pursuit.h"
#include "gpu/kernels/reductions.h"
#include "gpu/kernels/threshold.h"
#include "gpu/split_matrix.h"

namespace cospadi {

namespace {

constexpr std::int64_t kPursuitColumns = 2048;  // enough for the product of a step to fill a device
// At whether there is still work. Few columns often need no more than two steps.
constexpr int kStepsBetweenLooks = 8;
constexpr int kStepsOfFewBetweenLooks = 2;
constexpr std::int64_t kAtomsALook = 32;  // at which columns use them
// Fewer coupled columns leave tensor cores no better off than float32.
constexpr std::int64_t kManyColumns = 256;

// G · from, step after step: G (k, k), from (k, columns).
class GramProduct {
  public:
    GramProduct(DeviceMemory& memory, DeviceBlas& blas, StepProducts products, const Matrix& g,
                std::int64_t columns)
        : m_blas(blas),
          m_precision(products == StepProducts::Tf32 ? Precision::Tf32 : Precision::Float32),
          m_g(g),
          m_columns(columns) {
        if (products == StepProducts::Split) {
            m_terms.emplace(memory, g);
            m_fromTerms.emplace(memory, g.rows, columns);
        }
    }

    std::int64_t ld() const { return m_terms ? m_terms->ld() : m_g.rows; }  // of `to`

    void operator()(const float* from, float* to) {
        if (m_terms) {
            m_fromTerms->take(from, m_g.rows);
            multiply(m_blas, *m_terms, *m_fromTerms, to);
            return;
        }
        const std::int64_t k = m_g.rows;
        m_blas.gemm(Op::None, Op::None, k, m_columns, k, 1, m_g.data.get(), k, from, k, 0, to, k,
                    m_precision);
    }

  private:
    DeviceBlas& m_blas;
    Precision m_precision;
    const Matrix& m_g;
    std::int64_t m_columns;
    std::optional<SplitMatrix> m_terms, m_fromTerms;
};

// The products of a step of coupled conjugate gradients: X M, and H times that; float32 where there
// is no room for two terms of the metric.
class CoupledProducts {
  public:
    CoupledProducts(DeviceMemory& memory, Backend& backend, DeviceBlas& blas, StepProducts products,
                    const CoupledSystem& system, std::int64_t columns)
        : m_backend(backend), m_blas(blas), m_system(system) {
        const Matrix& h = system.h;
        if (products == StepProducts::Float32 || columns < kManyColumns ||
            system.rough != nullptr) {
            return;
        }
        try {
            m_h.emplace(memory, h);
            m_metric.emplace(memory, system.metric);
            m_from.emplace(memory, h.rows, columns);
        } catch (const OutOfDeviceMemory&) {  // float32 needs none of it
            m_h.reset();
            m_metric.reset();
        }
    }

    std::int64_t ld() const { return m_from ? m_from->ld() : m_system.h.rows; }  // of both

    void operator()(const Matrix& x, Matrix& xMetric, Matrix& image) {
        if (m_from) {
            m_from->take(x.data.get(), x.rows);
            multiply(m_blas, *m_from, *m_metric, xMetric.data.get());
            m_from->take(xMetric.data.get(), xMetric.rows);
            multiply(m_blas, *m_h, *m_from, image.data.get());
            return;
        }
        m_backend.gemm(Op::None, Op::None, 1, x, m_system.metric, 0, xMetric);
        if (m_system.rough != nullptr) {
            m_system.rough->timesRoughly(1, xMetric, 0, image);
        } else {
            m_backend.gemm(Op::None, Op::None, 1, m_system.h, xMetric, 0, image);
        }
    }

  private:
    Backend& m_backend;
    DeviceBlas& m_blas;
    const CoupledSystem& m_system;
    std::optional<SplitMatrix> m_h, m_metric, m_from;
};

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
    // A step that is only on the way may be a little off; the last refit, which has a tolerance,
    // less.
    GramProduct applyGram(*m_memory, *m_blas, limit > 0 ? m_products.steps : m_products.onTheWay, g,
                          columns);
    const DeviceBuffer<float> image(*m_memory, applyGram.ld() * columns);
    const DeviceBuffer<std::uint8_t> mask(*m_memory, k * columns);
    const DeviceBuffer<float> norm(*m_memory, columns);
    const DeviceBuffer<float> goal(*m_memory, columns);
    DeviceBuffer<unsigned> busy(*m_memory, 1);
    m_blas->gemm(Op::None, Op::None, k, columns, k, 1, g.data.get(), k, codes, k, 0, residual.get(),
                 k, Precision::Float32);
    kernels::startCg(k, columns, limit, p, codes, residual.get(), direction.get(), mask.get(),
                     norm.get(), goal.get(), m_memory->stream());
    for (int step = 0; step < steps; ++step) {
        applyGram(direction.get(), image.get());
        busy.clear("conjugate gradients");
        kernels::stepCg(k, columns, image.get(), applyGram.ld(), mask.get(), goal.get(), codes,
                        residual.get(), direction.get(), norm.get(), busy.get(),
                        m_memory->stream());
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
                              double squaredError, CoupledCodes& at) {
    const std::int64_t k = at.codes.rows;
    const std::int64_t columns = at.codes.cols;
    if (columns == 0) {
        return 0;
    }
    // What has to be there, before the terms, which can be done without.
    Matrix direction = unset(k, columns);
    Matrix directionMetric = unset(SplitMatrix::paddedSize(k), columns);
    Matrix image = unset(SplitMatrix::paddedSize(k), columns);
    const DeviceBuffer<std::uint8_t> mask(*m_memory, k * columns);
    const DeviceBuffer<double> sums(*m_memory, 2 * std::int64_t{kernels::kCoupledBlocks});
    const DeviceBuffer<double> scalars(*m_memory, 2 * kernels::CoupledState::kScalars);
    CoupledProducts products(*m_memory, *this, *m_blas, m_products.steps, system, columns);
    directionMetric.rows = products.ld();
    image.rows = products.ld();
    kernels::CoupledState state;
    state.k = k;
    state.columns = columns;
    state.ld = products.ld();
    state.inverseDiagonal = system.inverseDiagonal.data.get();
    state.codes = at.codes.data.get();
    state.codesMetric = at.codesMetric.data.get();
    state.residual = at.residual.data.get();
    state.direction = direction.data.get();
    state.directionMetric = directionMetric.data.get();
    state.image = image.data.get();
    state.mask = mask.get();
    state.sums = sums.get();
    state.scalars = scalars.get();
    const int looks = columns < kManyColumns ? kStepsOfFewBetweenLooks : kStepsBetweenLooks;
    kernels::startCoupledCg(state, squaredError, m_memory->stream());
    double left = squaredError;
    for (int step = 0; step < steps; ++step) {
        products(direction, directionMetric, image);
        const bool last = step + 1 == steps;
        kernels::stepCoupledCg(state, step, last, tolerance, m_memory->stream());
        if ((step + 1) % looks == 0 || last) {
            double held[2 * kernels::CoupledState::kScalars];
            scalars.download(std::size(held), held, "coupled conjugate gradients");
            const double* behind = held + kernels::CoupledState::setBehind(step);
            left = behind[kernels::CoupledState::kError];
            if (behind[kernels::CoupledState::kDone] != 0) {
                break;
            }
        }
    }
    return squaredError - left;
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
    GramProduct applyGram(*m_memory, *m_blas, m_products.steps, g, columns);
    const DeviceBuffer<float> image(*m_memory, applyGram.ld() * columns);
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
        applyGram(direction.get(), image.get());
        kernels::advance(state, image.get(), applyGram.ld(), m_memory->stream());
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
