#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/dictionary/pair_learning.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

// One layer's codes of a given dictionary. Its columns stand alone in the whitened space, where
// atoms have other lengths than in that of D; the verbs are for atoms of length 1, so that a step
// takes the codes there and back.
class LayerCoding {
  public:
    LayerCoding(Backend& backend, const MetricLayer& layer, std::int64_t k)
        : m_backend(backend),
          m_layer(layer),
          m_target(backend.upload(layer.metric.whitenedFromOriginal(layer.weight))),
          m_squaredNorm(backend.dot(m_target, m_target)),
          m_gram(layer.metric.gram()),
          m_weighted(m_gram * layer.weight.cast<double>()),
          m_codes(Eigen::MatrixXf::Zero(k, layer.weight.cols())) {}

    double squaredNorm() const { return m_squaredNorm; }
    const Eigen::MatrixXd& gram() const { return m_gram; }
    const Eigen::MatrixXf& codes() const { return m_codes; }
    void setCodes(Eigen::MatrixXf codes) { m_codes = std::move(codes); }

    // S_i, and its part of K.
    Eigen::MatrixXd squares() const {
        const Eigen::MatrixXd codes = m_codes.cast<double>();
        return codes * codes.transpose();
    }
    Eigen::MatrixXd right() const { return m_weighted * m_codes.cast<double>().transpose(); }

    // Returns the squared error ‖L (W − D C)‖² after it, and adds up the mask's changes.
    double code(const Eigen::MatrixXf& dictionary, std::int64_t s, const PairOptions& options,
                std::int64_t& changes) {
        Matrix atoms = m_backend.upload(m_layer.metric.whitenedFromOriginal(dictionary));
        Eigen::VectorXf lengths(dictionary.cols());
        Eigen::Index j = 0;
        for (const double square : m_backend.squaredColumnNorms(atoms)) {
            lengths(j++) = static_cast<float>(std::sqrt(square));
        }
        Matrix codes = m_backend.upload(m_codes);
        m_backend.normalizeAtoms(atoms, {codes});
        Matrix h = m_backend.zeros(atoms.cols, atoms.cols);
        Matrix p = m_backend.zeros(atoms.cols, m_target.cols);
        Matrix r = m_backend.zeros(atoms.cols, m_target.cols);
        m_backend.syrk(Op::Transpose, atoms, h);
        m_backend.gemm(Op::Transpose, Op::None, 1, atoms, m_target, 0, p);
        double overlap = 0;
        for (int step = 0; step < options.pursuitSteps; ++step) {
            m_backend.copy(p, r);
            m_backend.gemm(Op::None, Op::None, -1, h, codes, 1, r);
            changes += m_backend.thresholdStep(r, 1, s, codes);
            overlap = m_backend.maskedCg(h, p, options.cgSteps, 0, codes);
        }
        const double error = m_squaredNorm - m_backend.dot(codes, p) - overlap;
        const Eigen::VectorXf back =
            (lengths.array() > 0).select(lengths.cwiseInverse(), Eigen::VectorXf::Zero(j));
        m_codes = back.asDiagonal() * m_backend.download(codes);
        return std::max(error, 0.0);
    }

  private:
    Backend& m_backend;
    const MetricLayer& m_layer;
    Matrix m_target;  // L W
    double m_squaredNorm;
    Eigen::MatrixXd m_gram;
    Eigen::MatrixXd m_weighted;  // G W
    Eigen::MatrixXf m_codes;     // C
};

class PairSolver {
  public:
    PairSolver(Backend& backend, const std::vector<MetricLayer>& layers, std::int64_t k,
               std::int64_t s, const PairOptions& options)
        : m_s(s), m_options(options) {
        const Matrix whole = backend.upload(sideBySide(layers));
        static_cast<void>(solver::checkedSquaredNorm(backend, whole, k, s));
        m_dictionary = backend.download(backend.leftSingularVectors(whole, k));
        std::vector<Eigen::MatrixXd> grams;
        for (const MetricLayer& layer : layers) {
            m_layers.emplace_back(backend, layer, k);
            m_squaredNorm += m_layers.back().squaredNorm();
            grams.push_back(m_layers.back().gram());
        }
        m_step.emplace(grams);
    }

    // The relative error after it.
    double code(std::int64_t& changes) {
        double squares = 0;
        for (LayerCoding& layer : m_layers) {
            squares += layer.code(m_dictionary, m_s, m_options, changes);
        }
        return std::sqrt(squares / m_squaredNorm);
    }

    void updateDictionary() {
        std::vector<Eigen::MatrixXd> squares;
        Eigen::MatrixXd right = Eigen::MatrixXd::Zero(m_dictionary.rows(), m_dictionary.cols());
        for (const LayerCoding& layer : m_layers) {
            squares.push_back(layer.squares());
            right += layer.right();
        }
        Eigen::VectorXd usage = Eigen::VectorXd::Zero(m_dictionary.cols());
        for (const Eigen::MatrixXd& layer : squares) {
            usage += layer.diagonal();
        }
        const Eigen::MatrixXd next = m_step->solve(squares, right, m_options.ridge);
        Eigen::VectorXf lengths = next.colwise().norm().transpose().cast<float>();
        for (Eigen::Index j = 0; j < next.cols(); ++j) {
            if (usage(j) > 0 && lengths(j) > 0) {
                m_dictionary.col(j) = next.col(j).normalized().cast<float>();
            } else {
                lengths(j) = 1;
            }
        }
        for (LayerCoding& layer : m_layers) {
            layer.setCodes(lengths.asDiagonal() * layer.codes());
        }
    }

    const Eigen::MatrixXf& dictionary() const { return m_dictionary; }

    Eigen::MatrixXf codes() const {
        Eigen::Index columns = 0;
        for (const LayerCoding& layer : m_layers) {
            columns += layer.codes().cols();
        }
        Eigen::MatrixXf all(m_dictionary.cols(), columns);
        columns = 0;
        for (const LayerCoding& layer : m_layers) {
            all.middleCols(columns, layer.codes().cols()) = layer.codes();
            columns += layer.codes().cols();
        }
        return all;
    }

  private:
    std::int64_t m_s;
    const PairOptions& m_options;
    std::vector<LayerCoding> m_layers;
    std::optional<PairDictionaryStep> m_step;
    Eigen::MatrixXf m_dictionary;
    double m_squaredNorm = 0;
};

void requireFits(const std::vector<MetricLayer>& layers, std::int64_t k) {
    if (layers.empty() || layers.size() > 2) {
        throw Error(fmt::format("a pair has {} layers", layers.size()), "layers",
                    "give one or two");
    }
    Eigen::Index columns = 0;
    for (const MetricLayer& layer : layers) {
        columns += layer.weight.cols();
        if (layer.weight.rows() != layers.front().weight.rows()) {
            throw Error("the layers' inputs differ in width", "layers",
                        "pair layers of equal width");
        }
    }
    const Eigen::Index rows = layers.front().weight.rows();
    if (k > std::min(rows, columns)) {
        throw Error(fmt::format("{} singular vectors of {} x {}", k, rows, columns), "k",
                    "give at most as many atoms as the shorter side has entries");
    }
}

}  // namespace

LearnedDictionary solvePair(Backend& backend, const std::vector<MetricLayer>& layers,
                            std::int64_t k, std::int64_t s, const PairOptions& options,
                            const IterationCallback& callback, const std::stop_token& stop) {
    requireFits(layers, k);
    PairSolver pair(backend, layers, k, s, options);
    LearnedDictionary result;
    result.termination = Termination::MaxIterations;
    std::int64_t changes = 0;
    solver::PhaseClock first(backend);
    double best = pair.code(changes);
    result.phases.coding = first.lap();
    Eigen::MatrixXf bestDictionary = pair.dictionary();
    Eigen::MatrixXf bestCodes = pair.codes();
    double previous = best;
    while (result.iterations < options.iterations) {
        if (stop.stop_requested()) {
            result.termination = Termination::Cancelled;
            return result;
        }
        solver::PhaseClock clock(backend);
        PhaseSeconds phases;
        pair.updateDictionary();
        phases.dictionary = clock.lap();
        changes = 0;
        const double error = pair.code(changes);
        phases.coding = clock.lap();
        result.phases += phases;
        ++result.iterations;
        if (error < best) {
            best = error;
            bestDictionary = pair.dictionary();
            bestCodes = pair.codes();
        }
        if (callback) {
            IterationSummary summary;
            summary.phase = "pair";
            summary.iteration = result.iterations;
            summary.relativeError = error;
            solver::countUsage(backend, backend.upload(pair.codes()), summary);
            summary.supportChanges = changes;
            summary.seconds = clock.seconds();
            summary.phases = phases;
            callback(summary);
        }
        if (solver::converged(previous, error, options.tolerance)) {
            result.termination = Termination::Converged;
            break;
        }
        previous = error;
    }
    result.relativeError = best;
    result.dictionary = backend.upload(bestDictionary);
    result.codes = backend.upload(bestCodes);
    return result;
}

}  // namespace cospadi
