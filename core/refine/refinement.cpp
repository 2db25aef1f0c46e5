#include "core/refine/refinement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>

#include "core/base/error.h"
#include "core/base/permutation.h"
#include "core/base/stopwatch.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;

// Of the steps, in which the rate rises to its full size: means of gradients are few at first.
constexpr double kWarmUpShare = 0.05;

}  // namespace

Refinement::Refinement(Model& model, ThreadPool& pool, std::vector<TrainableUnit> units,
                       RefinementText text, RefinementOptions options)
    : m_model(model),
      m_pool(pool),
      m_units(std::move(units)),
      m_text(std::move(text)),
      m_options(options),
      m_forward(model, pool),
      m_backward(model, pool) {
    if (m_text.fitted() < 1) {
        throw Error(
            fmt::format("none of the {} sequences are left for fitting", m_text.sequences()),
            "refine", "use more sequences");
    }
    for (std::size_t u = 0; u < m_units.size(); ++u) {
        for (std::size_t i = 0; i < m_units[u].layers().size(); ++i) {
            m_places[m_units[u].layers()[i]] = {u, i};
        }
    }
}

bool Refinement::askTeacher(const ProgressCallback& progress, const std::stop_token& stop) {
    const Stopwatch clock;
    const std::int64_t sequences = m_text.sequences();
    m_teacher.resize(m_model.config().hiddenSize, sequences * m_text.length);
    for (std::int64_t first = 0; first < sequences; first += m_options.stepSequences) {
        if (stop.stop_requested()) {
            return false;
        }
        const std::int64_t count = std::min(m_options.stepSequences, sequences - first);
        m_teacher.middleCols(first * m_text.length, count * m_text.length) =
            m_forward.hiddenStates(std::span(m_text.ids)
                                       .subspan(static_cast<std::size_t>(first * m_text.length),
                                                static_cast<std::size_t>(count * m_text.length)),
                                   m_text.length);
        if (progress) {
            const std::int64_t done = first + count;
            progress({"teacher", done, sequences, clock.seconds(),
                      clock.seconds() * static_cast<double>(sequences - done) /
                          static_cast<double>(done)});
        }
    }
    recompose();
    return true;
}

void Refinement::recompose() {
    for (const TrainableUnit& unit : m_units) {
        for (std::size_t i = 0; i < unit.layers().size(); ++i) {
            replace(unit.layers()[i], unit.weight(m_pool, i));
        }
    }
}

void Refinement::replace(const std::string& layer, MatrixXf weight) {
    m_model.replaceLayer(layer, std::make_unique<DenseLayer>(std::move(weight), 0));
}

std::int64_t Refinement::steps() const {
    return (m_text.fitted() + m_options.stepSequences - 1) / m_options.stepSequences;
}

double Refinement::rateOf(std::int64_t step) const {
    const auto all = static_cast<double>(steps());
    const double rise =
        std::min(1.0, static_cast<double>(step + 1) / std::max(1.0, std::ceil(kWarmUpShare * all)));
    const double fall = (1 + std::cos(std::numbers::pi * static_cast<double>(step) / all)) / 2;
    return m_options.learningRate * rise * fall;
}

std::vector<std::int32_t> Refinement::idsOf(const std::vector<std::int64_t>& sequences) const {
    std::vector<std::int32_t> ids;
    for (const std::int64_t sequence : sequences) {
        const auto own = std::span(m_text.ids)
                             .subspan(static_cast<std::size_t>(sequence * m_text.length),
                                      static_cast<std::size_t>(m_text.length));
        ids.insert(ids.end(), own.begin(), own.end());
    }
    return ids;
}

MatrixXf Refinement::gathered(const MatrixXf& columns,
                              const std::vector<std::int64_t>& sequences) const {
    MatrixXf result(columns.rows(), static_cast<Eigen::Index>(sequences.size()) * m_text.length);
    Eigen::Index begin = 0;
    for (const std::int64_t sequence : sequences) {
        result.middleCols(begin, m_text.length) =
            columns.middleCols(sequence * m_text.length, m_text.length);
        begin += m_text.length;
    }
    return result;
}

double Refinement::divergence(const std::vector<std::int64_t>& sequences, bool learns) {
    const std::int64_t blocks = m_model.config().blocks;
    std::vector<MatrixXf> residuals;  // the inputs of blocks
    MatrixXf residual = m_forward.embed(idsOf(sequences));
    for (std::int64_t block = 0; block < blocks; ++block) {
        if (learns) {
            residuals.push_back(residual);
        }
        m_forward.runBlock(block, residual, m_text.length);
    }
    double sum = 0;
    MatrixXf gradient = m_backward.ofDivergence(residual, gathered(m_teacher, sequences), &sum);
    if (!learns) {
        return sum;
    }
    MatrixXf dW;
    for (std::int64_t block = blocks - 1; block >= 0; --block) {
        m_backward.runBlock(
            block, residuals[static_cast<std::size_t>(block)], m_text.length, gradient,
            [&](const std::string& layer, const auto& X, const auto& dY) {
                const auto found = m_places.find(layer);
                if (found == m_places.end()) {
                    return;
                }
                dW.resize(X.rows(), dY.rows());
                gemm(m_pool, Op::None, Op::Transpose, X.rows(), dY.rows(), X.cols(), 1.0F, X.data(),
                     X.outerStride(), dY.data(), dY.outerStride(), 0.0F, dW.data(), dW.rows());
                m_units[found->second.unit].addGradient(m_pool, found->second.layer, dW);
            });
        residuals.pop_back();
    }
    return sum;
}

bool Refinement::run(const std::function<void(const RefinementStep&)>& afterStep,
                     const std::stop_token& stop) {
    const std::vector<std::int64_t> order = permutation(m_text.fitted(), m_options.seed);
    while (m_done < steps()) {
        if (stop.stop_requested()) {
            return false;
        }
        const Stopwatch clock;
        const auto begin = m_done * m_options.stepSequences;
        const auto end = std::min(begin + m_options.stepSequences, m_text.fitted());
        const std::vector<std::int64_t> sequences(order.begin() + begin, order.begin() + end);
        const double sum = divergence(sequences, true);
        if (!std::isfinite(sum)) {
            throw Error(fmt::format("the predictions are no longer finite at step {} of {}",
                                    m_done + 1, steps()),
                        "refine_rate", "use a smaller rate");
        }
        m_pool.run(static_cast<std::int64_t>(m_units.size()), [&](std::int64_t i) {
            m_units[static_cast<std::size_t>(i)].move(m_done + 1, rateOf(m_done));
        });
        recompose();
        ++m_done;
        afterStep({m_done, steps(), sum / static_cast<double>((end - begin) * m_text.length),
                   clock.seconds()});
    }
    return true;
}

double Refinement::heldOutDivergence() {
    if (m_text.heldOut == 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    for (const TrainableUnit& unit : m_units) {
        const std::vector<StoredWeightPtr> stored = unit.stored();
        for (std::size_t i = 0; i < stored.size(); ++i) {
            replace(unit.layers()[i], stored[i]->recomposed());
        }
    }
    double sum = 0;
    for (std::int64_t first = m_text.fitted(); first < m_text.sequences();
         first += m_options.stepSequences) {
        std::vector<std::int64_t> sequences;
        for (std::int64_t i = first;
             i < std::min(first + m_options.stepSequences, m_text.sequences()); ++i) {
            sequences.push_back(i);
        }
        sum += divergence(sequences, false);
    }
    recompose();
    return sum / static_cast<double>(m_text.heldOut * m_text.length);
}

}  // namespace cospadi
