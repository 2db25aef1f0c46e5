#include "core/methods/group_quantisation/error_feedback.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/linalg/inverse_factor.h"
#include "core/products/block_product.h"

namespace cospadi {

namespace {

using Eigen::Index;
using Eigen::MatrixXf;

// Inputs whose updates of all others are one product; its part of U stays in the second cache.
constexpr Index kBlockInputs = 128;

std::vector<Index> inputsInOrder(const Eigen::MatrixXd& metric, InputOrder order) {
    std::vector<Index> inputs(static_cast<std::size_t>(metric.rows()));
    std::iota(inputs.begin(), inputs.end(), Index{0});
    if (order == InputOrder::FallingDiagonal) {
        std::stable_sort(inputs.begin(), inputs.end(),
                         [&](Index a, Index b) { return metric(a, a) > metric(b, b); });
    }
    return inputs;
}

class FeedbackPass {
  public:
    FeedbackPass(const MatrixXf& w, Eigen::MatrixXd metric, const GroupSettings& settings,
                 InputOrder order)
        : m_inputs(inputsInOrder(metric, order)),
          m_gridsAreFixed(order != InputOrder::Given),
          m_factor(inverseFactor(m_gridsAreFixed ? Eigen::MatrixXd(metric(m_inputs, m_inputs))
                                                 : std::move(metric))
                       .cast<float>()),
          m_rest(w(m_inputs, Eigen::all)),
          m_codes(emptyCodes(settings, w.rows(), w.cols())) {
        if (m_gridsAreFixed) {
            const Index g = settings.groupSize;
            for (Index j = 0; j < w.cols(); ++j) {
                for (Index group = 0; group < w.rows() / g; ++group) {
                    fitGrid(w.col(j).segment(group * g, g), group, j, m_codes);
                }
            }
        }
    }

    // False where it was asked to stop.
    bool run(const std::stop_token& stop) {
        const Index d1 = m_rest.rows();
        for (Index begin = 0, size = 0; begin < d1; begin += size) {
            if (stop.stop_requested()) {
                return false;
            }
            size = blockSize(begin);
            const MatrixXf errors = roundBlock(begin, size);
            const Index rest = begin + size;
            if (rest < d1) {
                multiplyBlock(Op::Transpose, Op::None, d1 - rest, m_rest.cols(), size, -1,
                              &m_factor(begin, rest), d1, errors.data(), size, 1, &m_rest(rest, 0),
                              d1, bestProductKernel(d1 - rest, m_rest.cols()));
            }
        }
        return true;
    }

    GroupQuantisedCodes take() { return std::move(m_codes); }

  private:
    // A group that is begun in a block ends in it, or is begun with it: then its weights are up to
    // date when its grid is fitted.
    Index blockSize(Index begin) const {
        const Index g = m_codes.groupSize;
        const Index left = m_rest.rows() - begin;
        if (m_gridsAreFixed) {
            return std::min(kBlockInputs, left);
        }
        return g < kBlockInputs ? std::min(kBlockInputs / g * g, left)
                                : std::min(kBlockInputs, g - begin % g);
    }

    // The errors e of its inputs (size, d2).
    MatrixXf roundBlock(Index begin, Index size) {
        const MatrixXf factor = m_factor.block(begin, begin, size, size).transpose();
        MatrixXf errors(size, m_rest.cols());
        for (Index j = 0; j < m_rest.cols(); ++j) {
            for (Index i = 0; i < size; ++i) {
                const float value = m_rest(begin + i, j);
                const float error = (value - rounded(begin + i, j)) / factor(i, i);
                const Index after = size - i - 1;
                m_rest.col(j).segment(begin + i + 1, after) -= error * factor.col(i).tail(after);
                errors(i, j) = error;
            }
        }
        return errors;
    }

    // Rounds the input at this place of the order.
    float rounded(Index place, Index j) {
        const Index input = m_inputs[static_cast<std::size_t>(place)];
        const Index g = m_codes.groupSize;
        if (!m_gridsAreFixed && input % g == 0) {
            fitGrid(m_rest.col(j).segment(place, g), input / g, j, m_codes);
        }
        const GroupGrid grid = m_codes.grid(input / g, j);
        const std::uint8_t code = nearestCode(grid, m_codes.bits, m_rest(place, j));
        m_codes.codes[static_cast<std::size_t>(j * m_codes.d1 + input)] = code;
        return grid.valueOf(code);
    }

    std::vector<Index> m_inputs;  // in the order that they are rounded in
    bool m_gridsAreFixed;
    MatrixXf m_factor;  // U (d1, d1) of the inputs in that order
    MatrixXf m_rest;    // (d1, d2), in that order: of those to come, the weights as they are now
    GroupQuantisedCodes m_codes;
};

}  // namespace

std::optional<GroupQuantisedCodes> quantiseWithFeedback(const Eigen::MatrixXf& w,
                                                        Eigen::MatrixXd metric,
                                                        const GroupSettings& settings,
                                                        InputOrder order,
                                                        const std::stop_token& stop) {
    FeedbackPass pass(w, std::move(metric), settings, order);
    return pass.run(stop) ? std::optional(pass.take()) : std::nullopt;
}

}  // namespace cospadi
