#include "app/gpu_check/verb_table.h"

#include <algorithm>
#include <functional>
#include <random>

#include "core/base/stopwatch.h"

namespace cospadi {

namespace {

constexpr double kLongEnough = 0.3;  // seconds of repetitions
constexpr int kMostRepetitions = 50;
constexpr std::int64_t kPursuitAtoms = 32;         // of a pursuit and a sweep: a slice of the whole
constexpr std::int64_t kCalibrationTokens = 2048;  // as a batch of the forward pass has

Eigen::MatrixXf random(std::int64_t rows, std::int64_t cols, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    Eigen::MatrixXf a(rows, cols);
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        a.data()[i] = normal(generator);
    }
    return a;
}

class Timer {
  public:
    explicit Timer(Backend& backend) : m_backend(backend), m_one(backend.zeros(1, 1)) {}

    // Median of repetitions; `prepare` is not counted.
    double median(const std::function<void()>& action, const std::function<void()>& prepare = {}) {
        std::vector<double> times;
        double total = 0;
        for (int i = -1; i < kMostRepetitions && total < kLongEnough; ++i) {
            if (prepare) {
                prepare();
            }
            wait();
            const Stopwatch clock;
            action();
            wait();
            if (i >= 0) {  // the first warms up
                times.push_back(clock.seconds());
                total += times.back();
            }
        }
        std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2),
                         times.end());
        return times[times.size() / 2];
    }

  private:
    void wait() { m_backend.dot(m_one, m_one); }  // what returns a value waits for the device

    Backend& m_backend;
    Matrix m_one;
};

}  // namespace

double VerbTiming::share(const Ceilings& ceilings) const {
    const double least = std::max(flops / ceilings.flops, bytes / ceilings.bytes);
    return seconds > 0 ? least / seconds : 0;
}

Ceilings measureCeilings(Backend& backend, std::int64_t edge) {
    const Matrix a = backend.upload(random(edge, edge, 1));
    const Matrix b = backend.upload(random(edge, edge, 2));
    Matrix c = backend.zeros(edge, edge);
    Timer timer(backend);
    const auto n = static_cast<double>(edge);
    Ceilings found;
    found.flops =
        2 * n * n * n / timer.median([&] { backend.gemm(Op::None, Op::None, 1, a, b, 0, c); });
    found.bytes = 8 * n * n / timer.median([&] { backend.copy(a, c); });
    return found;
}

std::vector<VerbTiming> timeVerbs(Backend& backend, const VerbShape& shape) {
    const auto d1 = static_cast<double>(shape.d1);
    const auto d2 = static_cast<double>(shape.d2);
    const auto k = static_cast<double>(shape.k);
    const double n = std::min(d1, k);
    const Matrix w = backend.upload(random(shape.d1, shape.d2, 1));
    Matrix d = backend.upload(random(shape.d1, shape.k, 2));
    backend.normalizeAtoms(d, {});
    Matrix p = backend.zeros(shape.k, shape.d2);
    Matrix r = backend.zeros(shape.k, shape.d2);
    Matrix codes = backend.zeros(shape.k, shape.d2);
    Matrix g = backend.zeros(shape.k, shape.k);
    Matrix normal = backend.zeros(shape.k, shape.k);
    backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, p);
    backend.syrk(Op::Transpose, d, g);
    backend.thresholdStep(p, 1, shape.s, codes);
    backend.syrk(Op::None, codes, normal);
    const Matrix start = backend.zeros(shape.k, shape.d2);
    Matrix a = backend.upload(random(shape.d1, std::min(shape.d1, shape.k), 3));
    const Matrix original = backend.upload(random(shape.d1, std::min(shape.d1, shape.k), 3));
    Matrix b = backend.zeros(shape.d1, shape.k);

    Timer timer(backend);
    std::vector<VerbTiming> rows;
    const auto add = [&](const char* verb, double flops, double bytes,
                         const std::function<void()>& action,
                         const std::function<void()>& prepare = {}) {
        rows.push_back({verb, timer.median(action, prepare), flops, bytes});
    };
    add("gemm DᵀW", 2 * d1 * k * d2, 4 * (d1 * k + d1 * d2 + k * d2),
        [&] { backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, p); });
    add("gemm G S", 2 * k * k * d2, 4 * (k * k + 2 * k * d2),
        [&] { backend.gemm(Op::None, Op::None, 1, g, codes, 0, r); });
    add("gemm W Sᵀ", 2 * d1 * k * d2, 4 * (d1 * k + d1 * d2 + k * d2),
        [&] { backend.gemm(Op::None, Op::Transpose, 1, w, codes, 0, b); });
    add("syrk S Sᵀ", k * k * d2, 4 * (k * d2 + k * k),
        [&] { backend.syrk(Op::None, codes, normal); });
    add(
        "thresholdStep", 0, 12 * k * d2, [&] { backend.thresholdStep(p, 1, shape.s, codes); },
        [&] { backend.copy(start, codes); });
    add("maskedCg, 1 step", 4 * k * k * d2, 4 * (2 * k * k + 10 * k * d2),
        [&] { backend.maskedCg(g, p, 1, 0, codes); });
    // A dictionary on the output side: W's own Gram stands in for that of the inputs.
    CoupledSystem coupled{g, backend.zeros(shape.d2, shape.d2),
                          backend.upload(Eigen::MatrixXf::Constant(shape.d2, 1, 1)), nullptr};
    backend.syrk(Op::Transpose, w, coupled.metric);
    CoupledCodes at{codes, r, backend.zeros(shape.k, shape.d2)};
    backend.copy(p, at.residual);
    add("coupledCg, 1 step", 2 * k * d2 * d2 + 2 * k * k * d2, 4 * (d2 * d2 + k * k + 12 * k * d2),
        [&] { backend.coupledCg(coupled, 1, 0, 1, at); });
    add(
        "solveRight", k * k * k / 3 + 2 * d1 * k * k, 4 * (2 * k * k + 4 * d1 * k),
        [&] { backend.solveRight(normal, 1e-6, d, b); }, [&] { backend.copy(d, b); });
    // Newton–Schulz: 14 steps of a symmetric and a full product.
    add(
        "polar", 14 * 3 * d1 * n * n, 14 * 4 * 5 * d1 * n, [&] { backend.polar(a); },
        [&] { backend.copy(original, a); });
    add("normalizeAtoms", 0, 8 * (d1 * k + k * d2), [&] { backend.normalizeAtoms(d, {codes}); });
    add("dot", 0, 8 * k * d2, [&] { backend.dot(p, codes); });
    add("axpby", 0, 12 * k * d2, [&] { backend.axpby(1e-3F, p, 1, r); });
    add("rowCounts", 0, 4 * k * d2, [&] { backend.rowCounts(codes); });
    const std::int64_t atoms = std::min(kPursuitAtoms, shape.k);
    // Step t needs k t products a column; the backend does k² as one large product.
    add("ompEncode, first 32 atoms", k * d2 * static_cast<double>(atoms * atoms),
        static_cast<double>(atoms) * 4 * 8 * k * d2,
        [&] { backend.ompEncode(g, p, atoms, codes); });
    Matrix few = backend.upload(random(shape.d1, atoms, 4));
    Matrix fewCodes = backend.upload(random(atoms, shape.d2, 5));
    Matrix e = backend.zeros(shape.d1, shape.d2);
    backend.copy(w, e);
    // Every power iteration reads E once, the update reads and writes it.
    add("ksvdSweep, 32 atoms, 8 iterations", static_cast<double>(atoms) * (8 * 4 + 2 + 4) * d1 * d2,
        static_cast<double>(atoms) * 4 * (9 + 2) * d1 * d2,
        [&] { backend.ksvdSweep(8, e, few, fewCodes); });
    add("leftSingularVectors", d1 * d1 * d2 + 9 * n * n * n, 8 * d1 * d2, [&] {
        backend.leftSingularVectors(w, std::min({shape.d1, shape.d2, shape.k}));
    });
    Matrix outer = backend.zeros(shape.d1, shape.d1);
    backend.syrk(Op::None, w, outer);
    add("leadingEigenvectors", 9 * d1 * d1 * d1, 8 * d1 * d1,
        [&] { backend.leadingEigenvectors(outer, std::min(shape.d1, shape.k)); });
    // Of the layer's inputs: shorter sums than calibration has, so that the host can follow.
    const Matrix inputs = backend.upload(random(shape.d1, kCalibrationTokens, 6));
    const auto tokens = static_cast<double>(kCalibrationTokens);
    const std::unique_ptr<GramSum> sum = backend.gramSum(shape.d1);
    add("gramSum, 2048 tokens", d1 * d1 * tokens, 4 * d1 * tokens + 8 * d1 * d1,
        [&] { sum->add(inputs); });
    sum->take();
    sum->add(inputs);
    Eigen::MatrixXd gram = sum->take();
    gram.diagonal().array() += 0.1 * gram.diagonal().mean();
    std::unique_ptr<GramFactor> factor;
    add("gramFactor (double, over the bus)", d1 * d1 * d1 / 3, 16 * d1 * d1,
        [&] { factor = backend.gramFactor(gram, 0); });
    const Eigen::MatrixXf weight = backend.download(w);
    const Eigen::MatrixXf dictionary = backend.download(d);
    add("L W (double, over the bus)", d1 * d1 * d2, 4 * d1 * d1 + 24 * d1 * d2,
        [&] { factor->times(weight); });
    add("L⁻¹ D (double, over the bus)", d1 * d1 * k, 4 * d1 * d1 + 24 * d1 * k,
        [&] { factor->solve(dictionary); });
    return rows;
}

}  // namespace cospadi
