#include <Eigen/Cholesky>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/methods/sparse_dictionary/sparse_target.h"

namespace cospadi {

namespace {

// Layers by parts: their columns lie side by side, and what is stored is the dictionary of their
// weights as they are.
class PartsTarget : public SparseTarget {
  public:
    PartsTarget(Backend& backend, std::vector<MetricLayer> layers)
        : m_backend(backend), m_layers(std::move(layers)) {}

    FastOptions usualFastOptions() const override { return {}; }

    double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) override {
        double error = 0;
        double whole = 0;
        Eigen::Index column = 0;
        for (const MetricLayer& layer : m_layers) {
            const Eigen::Index columns = layer.weight.cols();
            const Matrix target = m_backend.upload(layer.metric.whitenedFromOriginal(layer.weight));
            const Matrix atoms =
                m_backend.upload(layer.metric.whitenedFromOriginal(storedDictionary));
            Matrix own = codes.columns(column, columns);
            const double square = m_backend.dot(target, target);
            const double relative = refitCodes(m_backend, target, atoms, own, steps);
            error += relative * relative * square;
            whole += square;
            column += columns;
        }
        return std::sqrt(error / whole);
    }

  protected:
    Backend& backend() { return m_backend; }
    const std::vector<MetricLayer>& layers() const { return m_layers; }

  private:
    Backend& m_backend;
    std::vector<MetricLayer> m_layers;
};

class PairTarget final : public PartsTarget {
  public:
    using PartsTarget::PartsTarget;
    using SparseTarget::learn;

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const PairOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return solvePair(backend(), layers(), k, s, options, callback, stop);
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override { return dictionary; }
};

// Learned in the space that the mean of the Grams whitens, UᵀU = (1/m) Σ G_i, in which the layers'
// metrics are M_i = U⁻ᵀ G_i U⁻¹ and their mean is the identity.
class OwnMetricsTarget final : public PartsTarget {
  public:
    using SparseTarget::learn;

    OwnMetricsTarget(Backend& backend, std::vector<MetricLayer> layers)
        : PartsTarget(backend, std::move(layers)) {
        std::vector<Eigen::MatrixXd> grams;
        for (const MetricLayer& layer : this->layers()) {
            grams.push_back(layer.metric.gram());
        }
        Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(grams.front().rows(), grams.front().cols());
        for (const Eigen::MatrixXd& gram : grams) {
            mean += gram / static_cast<double>(grams.size());
        }
        m_factor.compute(mean);
        if (m_factor.info() != Eigen::Success) {
            throw Error("the mean of the layers' Grams is not positive definite", "calibration",
                        "give --ridge, or more calibration text");
        }
        for (Eigen::MatrixXd& gram : grams) {
            m_factor.matrixL().solveInPlace(gram);                     // U⁻ᵀ G
            m_factor.matrixU().solveInPlace<Eigen::OnTheRight>(gram);  // … U⁻¹
            m_metrics.push_back(backend.upload(gram.cast<float>()));
        }
    }

    LearnedDictionary learn(std::int64_t k, std::int64_t s, const FastOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        std::vector<std::int64_t> widths;
        for (const MetricLayer& layer : layers()) {
            widths.push_back(layer.weight.cols());
        }
        const Matrix w = backend().upload(
            (m_factor.matrixU() * sideBySide(layers()).cast<double>()).cast<float>());
        return solveFastInOwnMetrics(backend(), w, m_metrics, widths, k, s, options, callback,
                                     stop);
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override {
        return m_factor.matrixU().solve(dictionary.cast<double>()).cast<float>();
    }

  private:
    Eigen::LLT<Eigen::MatrixXd> m_factor;
    std::vector<Matrix> m_metrics;
};

}  // namespace

std::unique_ptr<SparseTarget> pairTarget(Backend& backend, std::vector<MetricLayer> layers) {
    return std::make_unique<PairTarget>(backend, std::move(layers));
}

std::unique_ptr<SparseTarget> ownMetricsTarget(Backend& backend, std::vector<MetricLayer> layers) {
    return std::make_unique<OwnMetricsTarget>(backend, std::move(layers));
}

}  // namespace cospadi
