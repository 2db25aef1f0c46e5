#include "core/linalg/lasso_path.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace cospadi {

namespace {

constexpr double kDependentPivot = 1e-10;  // squared length an atom must add to the span
constexpr double kNothingLeft = 1e-12;     // of the first λ

}  // namespace

LassoPath::LassoPath(const Gram& gram, std::int64_t s)
    : m_gram(gram), m_s(std::min<std::int64_t>(s, gram.rows())), m_factor(m_s, m_s) {}

// False where the atom lies in the span of those in use.
bool LassoPath::join(std::int64_t atom) {
    const auto t = static_cast<Eigen::Index>(m_active.size());
    Eigen::VectorXd row(t);
    for (Eigen::Index i = 0; i < t; ++i) {
        row[i] = m_gram(m_active[static_cast<std::size_t>(i)], atom);
    }
    m_factor.topLeftCorner(t, t).triangularView<Eigen::Lower>().solveInPlace(row);
    const double pivot = m_gram(atom, atom) - row.squaredNorm();
    if (!(pivot > kDependentPivot)) {
        return false;
    }
    m_factor.row(t).head(t) = row.transpose();
    m_factor(t, t) = std::sqrt(pivot);
    m_active.push_back(atom);
    m_signs.push_back(m_correlation[atom] < 0 ? -1 : 1);
    return true;
}

void LassoPath::leave(std::size_t place) {
    m_x[m_active[place]] = 0;
    m_active.erase(m_active.begin() + static_cast<std::ptrdiff_t>(place));
    m_signs.erase(m_signs.begin() + static_cast<std::ptrdiff_t>(place));
    const auto t = static_cast<Eigen::Index>(m_active.size());
    Eigen::MatrixXd gram(t, t);
    for (Eigen::Index j = 0; j < t; ++j) {
        for (Eigen::Index i = 0; i < t; ++i) {
            gram(i, j) = m_gram(m_active[static_cast<std::size_t>(i)],
                                m_active[static_cast<std::size_t>(j)]);
        }
    }
    // A part of what was positive definite.
    m_factor.topLeftCorner(t, t) = gram.llt().matrixL();
}

// How x on the support changes as λ falls by 1.
Eigen::VectorXd LassoPath::direction() const {
    const auto t = static_cast<Eigen::Index>(m_active.size());
    Eigen::VectorXd delta = Eigen::Map<const Eigen::VectorXd>(m_signs.data(), t);
    const auto factor = m_factor.topLeftCorner(t, t).triangularView<Eigen::Lower>();
    factor.solveInPlace(delta);
    factor.transpose().solveInPlace(delta);
    return delta;
}

const Eigen::VectorXd& LassoPath::solve(const Eigen::Ref<const Eigen::VectorXf>& p) {
    const Eigen::Index k = m_gram.rows();
    m_x = Eigen::VectorXd::Zero(k);
    m_correlation = p.cast<double>();
    m_active.clear();
    m_signs.clear();
    m_out.assign(static_cast<std::size_t>(k), 0);
    Eigen::Index first = 0;
    m_lambda = m_correlation.cwiseAbs().maxCoeff(&first);
    const double most = m_lambda;
    if (!(most > 0) || !join(first)) {
        return m_x;
    }
    m_out[static_cast<std::size_t>(first)] = 1;
    std::int64_t justLeft = -1;
    double leftSign = 0;
    // Every step adds an atom or takes one out; a path turns back less often than this.
    for (std::int64_t step = 0; step < 16 * (m_s + 16); ++step) {
        const Eigen::VectorXd delta = direction();
        Eigen::VectorXd change = Eigen::VectorXd::Zero(k);
        for (std::size_t i = 0; i < m_active.size(); ++i) {
            change += delta[static_cast<Eigen::Index>(i)] * m_gram.col(m_active[i]).cast<double>();
        }
        double joins = m_lambda;
        std::int64_t joining = -1;
        for (Eigen::Index i = 0; i < k; ++i) {
            if (m_out[static_cast<std::size_t>(i)] != 0) {
                continue;
            }
            for (const double sign : {1.0, -1.0}) {
                if (i == justLeft && sign == leftSign) {
                    continue;  // it stands at λ and goes below; with the other sign it may come
                               // back
                }
                const double slope = 1 - sign * change[i];
                const double at = (m_lambda - sign * m_correlation[i]) / slope;
                if (slope > 0 && at < joins) {
                    joins = std::max(at, 0.0);
                    joining = i;
                }
            }
        }
        double leaves = std::numeric_limits<double>::infinity();
        std::size_t leaving = 0;
        for (std::size_t i = 0; i < m_active.size(); ++i) {
            const double at = -m_x[m_active[i]] / delta[static_cast<Eigen::Index>(i)];
            if (at > 0 && at < leaves) {
                leaves = at;
                leaving = i;
            }
        }
        const double advance = std::min(joins, leaves);
        for (std::size_t i = 0; i < m_active.size(); ++i) {
            m_x[m_active[i]] += advance * delta[static_cast<Eigen::Index>(i)];
        }
        m_correlation -= advance * change;
        m_lambda = std::max(m_lambda - advance, 0.0);
        justLeft = -1;
        if (leaves < joins) {
            justLeft = m_active[leaving];
            leftSign = m_signs[leaving];
            m_out[static_cast<std::size_t>(justLeft)] = 0;
            leave(leaving);
            continue;
        }
        if (joining < 0 || m_lambda <= kNothingLeft * most ||
            static_cast<std::int64_t>(m_active.size()) == m_s) {
            break;
        }
        m_out[static_cast<std::size_t>(joining)] = 1;
        join(joining);
    }
    return m_x;
}

}  // namespace cospadi
