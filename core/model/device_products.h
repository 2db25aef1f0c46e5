// The products of a forward pass on a device: weights, or the factors of compressed ones, go up
// when they are first needed and stay, activations go up and results come down with every layer.
// What does not pay there (core/linalg/device_rule.h) is left to the host.
//
// Results are float32 as on the host, added in another order. Weights are known by their layer
// object: call forget() before layers of the model may have been replaced.
// Thread-safety: one thread, in which the backend is opened when first needed.
// Errors: DeviceError where the device fails and the CPU may not take over. Where it may, apply()
// leaves this product and everything after it to the host; only sums on the device are lost, and
// add() says so with the error.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/linalg/compute_device.h"
#include "core/model/linear_layer.h"

namespace cospadi {

class DeviceProducts {
  public:
    using Activations = Eigen::Ref<const Eigen::MatrixXf>;  // (features, tokens)

    // device.open must be there. hostCores: what the host would compute with. cpuTakesOver: told
    // once, with what went wrong.
    DeviceProducts(const ComputeDevice& device, int hostCores,
                   std::function<void(const DeviceError&)> cpuTakesOver = {});

    // Gives back the device's copies of weights and activations.
    void forget();
    // X stays as it is until the next call: it goes up once, whatever is done with it.
    void present(const Activations& X);
    // Y = Wᵀ X; false, with Y untouched, where the host had better do it.
    bool apply(const LinearLayer& layer, const Activations& X, Eigen::MatrixXf& Y);

    // A Gram sum (d1, d1) for pieces of about so many tokens; null where the host had better do it.
    std::unique_ptr<GramSum> gramSum(std::int64_t d1, std::int64_t tokens);
    void add(const Activations& X, GramSum& sum);

    // To be asked with what apply() or add() threw: true where sums may be begun anew on the host.
    bool mayGoOnWithout(const DeviceError& error);

  private:
    Backend& backend();
    bool pays(const DeviceWork& work);
    // Null where it does not pay.
    const std::vector<Matrix>* weightOf(const LinearLayer& layer, std::int64_t tokens);
    Matrix uploaded(const Activations& X, std::int64_t first, std::int64_t count);

    const ComputeDevice& m_device;
    int m_hostCores;
    std::function<void(const DeviceError&)> m_cpuTakesOver;
    std::optional<DeviceError> m_failure;
    std::unique_ptr<Backend> m_backend;
    std::unordered_map<const LinearLayer*, std::vector<Matrix>> m_weights;  // factors in turn
    const float* m_presented = nullptr;
    Eigen::Index m_presentedColumns = 0;
    Matrix m_presentedUp;  // empty until it is needed
};

// Null where the device is the CPU. The parameters are the constructor's.
std::unique_ptr<DeviceProducts> productsOn(
    const ComputeDevice& device, int hostCores,
    std::function<void(const DeviceError&)> cpuTakesOver = {});

// The same. `computedBy`, which must outlive the products, becomes the device's name; where the CPU
// takes over, it says so and why.
std::unique_ptr<DeviceProducts> productsOn(
    const ComputeDevice& device, int hostCores, std::string& computedBy,
    std::function<void(const DeviceError&)> cpuTakesOver = {});

}  // namespace cospadi
