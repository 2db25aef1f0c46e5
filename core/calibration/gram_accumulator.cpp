#include "core/calibration/gram_accumulator.h"

#include <algorithm>
#include <atomic>

#include "core/base/ceil_divide.h"
#include "core/base/error.h"
#include "core/model/device_products.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

constexpr Eigen::Index kColumnsPerTask = 64;

}  // namespace

void GramAccumulator::accumulate(const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                 std::int64_t firstSequence, std::int64_t length) {
    GramSum* const device = onDevice(key, X);
    if (device == nullptr) {
        m_chunk.resize(std::max(m_chunk.size(), static_cast<std::size_t>(X.size())));
    }
    Eigen::Map<Eigen::MatrixXd> chunk(m_chunk.data(), X.rows(), X.cols());
    std::atomic<std::int64_t> firstBad{X.cols()};
    m_pool.run(ceilDivide(X.cols(), kColumnsPerTask), [&](std::int64_t task) {
        const Eigen::Index begin = task * kColumnsPerTask;
        const Eigen::Index columns = std::min(kColumnsPerTask, X.cols() - begin);
        const auto part = X.middleCols(begin, columns);
        if (device == nullptr) {
            chunk.middleCols(begin, columns) = part.cast<double>();
        }
        if (part.allFinite()) {
            return;
        }
        for (Eigen::Index i = begin; i < begin + columns; ++i) {
            if (!X.col(i).allFinite()) {
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
    if (device != nullptr) {
        m_products->add(X, *device);
        return;
    }
    Eigen::MatrixXd& sum = m_upper[key];
    if (sum.size() == 0) {
        sum = Eigen::MatrixXd::Zero(X.rows(), X.rows());
    }
    syrkAccumulate(m_pool, X.rows(), X.cols(), m_chunk.data(), X.rows(), sum.data(), X.rows());
}

GramSum* GramAccumulator::onDevice(const std::string& key,
                                   const Eigen::Ref<const Eigen::MatrixXf>& X) {
    if (m_products == nullptr) {
        return nullptr;
    }
    const auto known = m_onDevice.find(key);
    if (known != m_onDevice.end()) {
        return known->second.get();
    }
    return m_onDevice.emplace(key, m_products->gramSum(X.rows(), X.cols())).first->second.get();
}

std::map<std::string, Eigen::MatrixXd> GramAccumulator::take() {
    std::map<std::string, Eigen::MatrixXd> sums = std::move(m_upper);
    for (auto& [key, sum] : sums) {
        sum.triangularView<Eigen::StrictlyLower>() = sum.transpose();
    }
    for (const auto& [key, sum] : m_onDevice) {
        if (sum) {
            sums[key] = sum->take();
        }
    }
    clear();
    return sums;
}

void GramAccumulator::clear() {
    m_upper.clear();
    m_onDevice.clear();
}

}  // namespace cospadi
