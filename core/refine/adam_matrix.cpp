#include "core/refine/adam_matrix.h"

#include <cmath>

namespace cospadi {

namespace {

// Root mean square of what is not zero; 0 where all is.
float sizeOf(const Eigen::Ref<const Eigen::VectorXf, 0, Eigen::InnerStride<>>& atom) {
    const auto count = static_cast<double>((atom.array() != 0).count());
    return count > 0 ? static_cast<float>(std::sqrt(atom.cast<double>().squaredNorm() / count))
                     : 0.0F;
}

}  // namespace

AdamMatrix::AdamMatrix(Eigen::MatrixXf values, Atoms atoms)
    : m_values(std::move(values)), m_atoms(atoms) {
    if ((m_values.array() == 0).any()) {
        for (Eigen::Index i = 0; i < m_values.size(); ++i) {
            if (m_values.data()[i] != 0) {
                m_places.push_back(static_cast<std::int32_t>(i));
            }
        }
    }
    const bool areColumns = atoms == Atoms::Columns;
    m_sizes.resize(areColumns ? m_values.cols() : m_values.rows());
    for (Eigen::Index i = 0; i < m_sizes.size(); ++i) {
        m_sizes(i) = areColumns ? sizeOf(m_values.col(i)) : sizeOf(m_values.row(i).transpose());
    }
    m_gradient.setZero(moving());
    m_mean.setZero(moving());
    m_square.setZero(moving());
}

std::int64_t AdamMatrix::moving() const {
    return m_places.empty() && m_sizes.maxCoeff() > 0 ? m_values.size()
                                                      : static_cast<std::int64_t>(m_places.size());
}

Eigen::Index AdamMatrix::placeOf(std::int64_t entry) const {
    return m_places.empty() ? entry : m_places[static_cast<std::size_t>(entry)];
}

void AdamMatrix::add(const Eigen::Ref<const Eigen::MatrixXf>& gradient) {
    if (m_places.empty() && m_gradient.size() > 0) {
        m_gradient.reshaped(gradient.rows(), gradient.cols()) += gradient;
        return;
    }
    const Eigen::Index rows = m_values.rows();
    for (Eigen::Index i = 0; i < m_gradient.size(); ++i) {
        const Eigen::Index place = placeOf(i);
        m_gradient(i) += gradient(place % rows, place / rows);
    }
}

void AdamMatrix::move(std::int64_t step, double rate) {
    const auto count = static_cast<double>(step);
    const double meanShare = 1 - std::pow(kMeanDecay, count);
    const double squareShare = 1 - std::pow(kSquareDecay, count);
    const auto toStep = static_cast<float>(rate * std::sqrt(squareShare) / meanShare);
    constexpr auto meanDecay = static_cast<float>(kMeanDecay);
    constexpr auto squareDecay = static_cast<float>(kSquareDecay);
    const Eigen::Index rows = m_values.rows();
    for (Eigen::Index i = 0; i < m_gradient.size(); ++i) {
        const float gradient = m_gradient(i);
        m_mean(i) = meanDecay * m_mean(i) + (1 - meanDecay) * gradient;
        m_square(i) = squareDecay * m_square(i) + (1 - squareDecay) * gradient * gradient;
        if (m_square(i) > 0) {
            const Eigen::Index place = placeOf(i);
            const float size = m_sizes(m_atoms == Atoms::Columns ? place / rows : place % rows);
            m_values.data()[place] -= toStep * size * m_mean(i) / std::sqrt(m_square(i));
        }
    }
    m_gradient.setZero();
}

AdamMatrix::State AdamMatrix::state() const {
    State state;
    for (Eigen::Index i = 0; i < m_gradient.size(); ++i) {
        state.values.push_back(m_values.data()[placeOf(i)]);
    }
    state.means.assign(m_mean.begin(), m_mean.end());
    state.squares.assign(m_square.begin(), m_square.end());
    return state;
}

bool AdamMatrix::restore(const State& state) {
    const auto count = static_cast<std::size_t>(moving());
    if (state.values.size() != count || state.means.size() != count ||
        state.squares.size() != count) {
        return false;
    }
    for (Eigen::Index i = 0; i < m_gradient.size(); ++i) {
        const auto entry = static_cast<std::size_t>(i);
        m_values.data()[placeOf(i)] = state.values[entry];
        m_mean(i) = state.means[entry];
        m_square(i) = state.squares[entry];
    }
    return true;
}

}  // namespace cospadi
