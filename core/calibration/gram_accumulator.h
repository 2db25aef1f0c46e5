// Gram matrices G = Σ x xᵀ of linear layers' inputs, summed in double, chunk by chunk.
//
// Not divided by the number of tokens. Memory: the d1×d1 sums and one chunk in double, whatever the
// number of tokens. Where it pays, and `products` are given, the sums are on a device.
// Not thread-safe; uses the pool inside accumulate(). Errors: DeviceError, after which the sums are
// lost: clear() and begin anew.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/linalg/gram_sum.h"

namespace cospadi {

class DeviceProducts;

class GramAccumulator {
  public:
    explicit GramAccumulator(ThreadPool& pool, DeviceProducts* products = nullptr)
        : m_pool(pool), m_products(products) {}

    // Adds X Xᵀ for X (d1, N) under `key`. NaN or infinity in X is a cospadi::Error that names key
    // and sequence: column i belongs to sequence firstSequence + i / length.
    void accumulate(const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X,
                    std::int64_t firstSequence, std::int64_t length);

    // The full symmetric matrices; leaves the accumulator empty.
    std::map<std::string, Eigen::MatrixXd> take();
    void clear();

  private:
    // Null where the host sums this key.
    GramSum* onDevice(const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X);

    ThreadPool& m_pool;
    DeviceProducts* m_products;
    std::map<std::string, std::unique_ptr<GramSum>> m_onDevice;  // null: decided for the host
    std::vector<double> m_chunk;                                 // grown, never shrunk
    std::map<std::string, Eigen::MatrixXd> m_upper;
};

}  // namespace cospadi
