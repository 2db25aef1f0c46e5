#include "core/calibration/gram_accumulator.h"

#include <algorithm>
#include <atomic>

#include "core/base/error.h"
#include "core/linalg/blas.h"

namespace cospadi {

namespace {

constexpr Eigen::Index kColumnsPerTask = 64;

}  // namespace

void GramAccumulator::accumulate(const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                 std::int64_t firstSequence, std::int64_t length) {
    m_chunk.resize(std::max(m_chunk.size(), static_cast<std::size_t>(X.size())));
    Eigen::Map<Eigen::MatrixXd> chunk(m_chunk.data(), X.rows(), X.cols());
    std::atomic<std::int64_t> firstBad{X.cols()};
    m_pool.run((X.cols() + kColumnsPerTask - 1) / kColumnsPerTask, [&](std::int64_t task) {
        const Eigen::Index begin = task * kColumnsPerTask;
        const Eigen::Index columns = std::min(kColumnsPerTask, X.cols() - begin);
        chunk.middleCols(begin, columns) = X.middleCols(begin, columns).cast<double>();
        if (chunk.middleCols(begin, columns).allFinite()) {
            return;
        }
        for (Eigen::Index i = begin; i < begin + columns; ++i) {
            if (!chunk.col(i).allFinite()) {
                std::int64_t seen = firstBad.load();
                while (i < seen && !firstBad.compare_exchange_weak(seen, i)) {
                }
                return;
            }
        }
    });
    if (firstBad < X.cols()) {
        throw Error("the input of this layer holds NaN or infinity in sequence " +
                        std::to_string(firstSequence + firstBad / length),
                    key, "the model's weights are damaged, or overflow in float32");
    }
    Eigen::MatrixXd& sum = m_upper[key];
    if (sum.size() == 0) {
        sum = Eigen::MatrixXd::Zero(X.rows(), X.rows());
    }
    syrkAccumulate(m_pool, X.rows(), X.cols(), m_chunk.data(), X.rows(), sum.data(), X.rows());
}

std::map<std::string, Eigen::MatrixXd> GramAccumulator::take() {
    for (auto& [key, sum] : m_upper) {
        sum.triangularView<Eigen::StrictlyLower>() = sum.transpose();
    }
    return std::move(m_upper);
}

}  // namespace cospadi
