#include "core/methods/sparse_dictionary/sparse_target.h"

#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

// W_L, or a weight that needs no metric.
class PlainTarget final : public SparseTarget {
  public:
    PlainTarget(Backend& backend, const Eigen::MatrixXf& w, const Whitening* space)
        : m_backend(backend),
          m_space(space),
          m_original(space != nullptr ? &w : nullptr),
          m_target(whitenedIf(backend, space, backend.upload(w))) {}

    FastOptions usualFastOptions() const override { return {}; }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const FastOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return solveFast(m_backend, m_target, k, s, options, callback, stop);
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, KsvdOptions options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        if (options.init == DictionaryInit::WeightColumns && m_original != nullptr) {
            options.weight = m_backend.upload(*m_original);
        }
        return solveKsvd(m_backend, m_target, k, s, options, callback, stop);
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const ProcrustesOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return solveProcrustes(m_backend, m_target, k, s, options, callback, stop);
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, EigenbasisOptions options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        options.stored = [this](const Eigen::MatrixXf& atoms) { return stored(atoms); };
        return solveEigenbasis(m_backend, m_target, k, s, options, callback, stop);
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override {
        return m_space != nullptr ? m_space->originalFromWhitened(dictionary) : dictionary;
    }

    double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) override {
        return refitCodes(m_backend, m_target,
                          whitenedIf(m_backend, m_space, m_backend.upload(storedDictionary)), codes,
                          steps);
    }

  private:
    Backend& m_backend;
    const Whitening* m_space;
    const Eigen::MatrixXf* m_original;  // W, the caller's; null where it is the target itself
    Matrix m_target;
};

// Z (d, n) whose columns a metric couples, with the dictionary in the space of the rows, which may
// have a metric of its own: Wᵀ, whose columns are inputs, or W, whose columns are outputs. Of
// several layers each has a metric for its own columns.
class CoupledTarget final : public SparseTarget {
  public:
    CoupledTarget(Backend& backend, const Matrix& original, const Whitening* rows,
                  const Whitening& columns)
        : m_backend(backend), m_rows(rows), m_z(whitenedIf(backend, rows, original)) {
        const auto [metric, scale] = columns.unitGram(backend);
        m_metrics = {metric};
        m_target =
            backend.transposed(columns.whitenedFromOriginal(backend, backend.transposed(m_z)));
        backend.axpby(0, m_target, static_cast<float>(std::sqrt(scale)), m_target);
    }

    // The layers' weights one below the other, transposed.
    CoupledTarget(Backend& backend, const std::vector<MetricLayer>& layers,
                  std::span<const UnitPart> parts)
        : m_backend(backend), m_rows(nullptr) {
        Eigen::Index columns = 0;
        for (const MetricLayer& layer : layers) {
            columns += layer.weight.rows();
        }
        Eigen::MatrixXf z(layers.front().weight.cols(), columns);
        Eigen::MatrixXf target(z.rows(), columns);
        columns = 0;
        for (const MetricLayer& layer : layers) {
            z.middleCols(columns, layer.weight.rows()) = layer.weight.transpose();
            columns += layer.weight.rows();
        }
        // In all as large as W is: numbers stay far from the ends of single precision.
        const auto all = static_cast<double>(z.squaredNorm());
        std::vector<Eigen::MatrixXf> whitened;
        std::vector<double> sizes;  // what counts as much as another layer's
        double size = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            whitened.push_back(layers[i].metric.whitenedFromOriginal(layers[i].weight));
            const double own = whitened.back().cast<double>().squaredNorm();
            const OutputMetric* outputs = parts[i].outputs;
            size += outputs != nullptr ? outputs->weight * own : parts[i].cost;
            sizes.push_back(outputs != nullptr ? 1 / outputs->weight : own / parts[i].cost);
        }
        columns = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const double scale = all / size / sizes[i];
            m_metrics.push_back(backend.upload((scale * layers[i].metric.gram()).cast<float>()));
            target.middleCols(columns, whitened[i].rows()) =
                static_cast<float>(std::sqrt(scale)) * whitened[i].transpose();
            columns += whitened[i].rows();
        }
        m_z = backend.upload(z);
        m_target = backend.upload(target);
    }

    FastOptions usualFastOptions() const override { return FastOptions::coupled(); }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const FastOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return solveFastCoupled(m_backend, m_z, m_target, m_metrics, k, s, options, callback, stop);
    }

    LearnedDictionary learn(std::int64_t /*k*/, std::int64_t /*s*/, KsvdOptions /*options*/,
                            const IterationCallback& /*callback*/,
                            const std::stop_token& /*stop*/) override {
        throw Error("K-SVD has no calibrated dictionary on the output side", "side",
                    "use the solver fast, the input side, or the method cospadi-free");
    }

    LearnedDictionary learn(std::int64_t /*k*/, std::int64_t /*s*/,
                            const ProcrustesOptions& /*options*/,
                            const IterationCallback& /*callback*/,
                            const std::stop_token& /*stop*/) override {
        throw Error("an orthonormal dictionary is supported on the input side only", "side",
                    "use input");
    }

    LearnedDictionary learn(std::int64_t /*k*/, std::int64_t /*s*/, EigenbasisOptions /*options*/,
                            const IterationCallback& /*callback*/,
                            const std::stop_token& /*stop*/) override {
        throw Error("eigenvectors of W_L are supported on the input side only", "side",
                    "use input");
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override {
        return m_rows != nullptr ? m_rows->originalFromWhitened(dictionary) : dictionary;
    }

    double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) override {
        return refitCodesCoupled(m_backend, m_z, m_metrics,
                                 whitenedIf(m_backend, m_rows, m_backend.upload(storedDictionary)),
                                 codes, steps);
    }

  private:
    Backend& m_backend;
    const Whitening* m_rows;
    Matrix m_z;
    std::vector<Matrix> m_metrics;
    Matrix m_target;
};

// W whose columns stand alone, but weigh on the dictionary as their weights say.
class WeighedTarget final : public SparseTarget {
  public:
    WeighedTarget(Backend& backend, const Eigen::MatrixXf& w, const Whitening* space,
                  Eigen::VectorXf weights)
        : m_backend(backend),
          m_weights(std::move(weights)),
          m_weighed(w * m_weights.asDiagonal()),
          m_target(backend, m_weighed, space) {}

    FastOptions usualFastOptions() const override { return m_target.usualFastOptions(); }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const FastOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return back(m_target.learn(k, s, options, wrapped(callback), stop));
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, KsvdOptions options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return back(m_target.learn(k, s, std::move(options), wrapped(callback), stop));
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const ProcrustesOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return back(m_target.learn(k, s, options, wrapped(callback), stop));
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, EigenbasisOptions options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return back(m_target.learn(k, s, std::move(options), wrapped(callback), stop));
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override {
        return m_target.stored(dictionary);
    }

    double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) override {
        codes = m_backend.upload(m_backend.download(codes) * m_weights.asDiagonal());
        const double error = m_target.refit(storedDictionary, codes, steps);
        codes = unweighed(codes);
        return error;
    }

  private:
    Matrix unweighed(const Matrix& codes) const {
        return m_backend.upload(m_backend.download(codes) * m_weights.cwiseInverse().asDiagonal());
    }

    LearnedDictionary back(LearnedDictionary learned) const {
        if (learned.termination != Termination::Cancelled) {
            learned.codes = unweighed(learned.codes);
        }
        return learned;
    }

    // Told of the codes of W itself.
    IterationCallback wrapped(const IterationCallback& callback) const {
        if (!callback) {
            return callback;
        }
        return [this, &callback](const IterationSummary& summary) {
            IterationSummary own = summary;
            Matrix codes;
            if (summary.codes != nullptr) {
                codes = unweighed(*summary.codes);
                own.codes = &codes;
            }
            callback(own);
        };
    }

    Backend& m_backend;
    Eigen::VectorXf m_weights;
    Eigen::MatrixXf m_weighed;
    PlainTarget m_target;
};

[[noreturn]] void refuseSolver() {
    throw Error("this solver does not support layers in their own metrics", "solver",
                "use the solver fast, or geopair");
}

}  // namespace

LearnedDictionary SparseTarget::learn(std::int64_t /*k*/, std::int64_t /*s*/,
                                      const FastOptions& /*options*/,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& /*stop*/) {
    refuseSolver();
}

LearnedDictionary SparseTarget::learn(std::int64_t /*k*/, std::int64_t /*s*/,
                                      KsvdOptions /*options*/,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& /*stop*/) {
    refuseSolver();
}

LearnedDictionary SparseTarget::learn(std::int64_t /*k*/, std::int64_t /*s*/,
                                      const ProcrustesOptions& /*options*/,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& /*stop*/) {
    refuseSolver();
}

LearnedDictionary SparseTarget::learn(std::int64_t /*k*/, std::int64_t /*s*/,
                                      EigenbasisOptions /*options*/,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& /*stop*/) {
    refuseSolver();
}

LearnedDictionary SparseTarget::learn(std::int64_t /*k*/, std::int64_t /*s*/,
                                      const PairOptions& /*options*/,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& /*stop*/) {
    throw Error("a pair requires the metrics of its layers", "method", "use geopair");
}

std::unique_ptr<SparseTarget> sparseTarget(Backend& backend, const Eigen::MatrixXf& w,
                                           const Whitening* space, DictionarySide side,
                                           const OutputMetric* outputs) {
    const Whitening* metric = outputs != nullptr ? &outputs->factor : nullptr;
    if (side == DictionarySide::Output) {
        if (space == nullptr) {
            return std::make_unique<PlainTarget>(backend, w.transpose(), metric);
        }
        return std::make_unique<CoupledTarget>(backend, backend.transposed(backend.upload(w)),
                                               metric, *space);
    }
    if (metric == nullptr) {
        return std::make_unique<PlainTarget>(backend, w, space);
    }
    if (outputs->isDiagonal) {
        return std::make_unique<WeighedTarget>(backend, w, space,
                                               metric->gramDiagonal().cwiseSqrt().cast<float>());
    }
    return std::make_unique<CoupledTarget>(backend, backend.upload(w), space, *metric);
}

std::unique_ptr<SparseTarget> balancedTarget(Backend& backend, const Eigen::MatrixXf& w,
                                             const Whitening* space,
                                             std::span<const UnitPart> parts) {
    const Eigen::MatrixXf target = whitenedIf(space, w);
    const double size = target.cast<double>().norm() / std::sqrt(static_cast<double>(parts.size()));
    Eigen::VectorXf weights(w.cols());
    Eigen::Index first = 0;
    for (const UnitPart& part : parts) {
        const double own = target.middleCols(first, part.width).cast<double>().norm();
        weights.segment(first, part.width)
            .setConstant(own > 0 ? static_cast<float>(std::sqrt(part.cost) * size / own) : 1.0F);
        first += part.width;
    }
    return std::make_unique<WeighedTarget>(backend, w, space, std::move(weights));
}

std::unique_ptr<SparseTarget> stackedTarget(Backend& backend,
                                            const std::vector<MetricLayer>& layers,
                                            std::span<const UnitPart> parts) {
    return std::make_unique<CoupledTarget>(backend, layers, parts);
}

}  // namespace cospadi
