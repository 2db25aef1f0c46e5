#include "core/model/device_products.h"

#include <utility>

#include "core/base/batches.h"

namespace cospadi {

DeviceProducts::DeviceProducts(const ComputeDevice& device, int hostCores,
                               std::function<void(const DeviceError&)> cpuTakesOver)
    : m_device(device), m_hostCores(hostCores), m_cpuTakesOver(std::move(cpuTakesOver)) {}

void DeviceProducts::forget() {
    m_weights.clear();
    m_presented = nullptr;
    m_presentedUp = {};
}

void DeviceProducts::present(const Activations& X) {
    m_presented = X.data();
    m_presentedColumns = X.cols();
    m_presentedUp = {};
}

Backend& DeviceProducts::backend() {
    if (!m_backend) {
        m_backend = m_device.open(m_hostCores);
    }
    return *m_backend;
}

bool DeviceProducts::pays(const DeviceWork& work) {
    return paysOnDevice(work, m_device.rates, m_hostCores, backend().availableBytes());
}

const std::vector<Matrix>* DeviceProducts::weightOf(const LinearLayer& layer, std::int64_t tokens) {
    if (const auto held = m_weights.find(&layer); held != m_weights.end()) {
        return &held->second;
    }
    const DeviceWork work = productWork(layer.d1(), layer.d2(), tokens, layer.innerSize());
    if (!pays(work)) {
        if (m_weights.empty()) {
            return nullptr;
        }
        m_weights.clear();  // of blocks that are done, it may be, and in the way
        if (!pays(work)) {
            return nullptr;
        }
    }
    std::vector<Matrix> up;
    if (const auto* dense = dynamic_cast<const DenseLayer*>(&layer)) {
        up.push_back(backend().upload(dense->weight()));  // spares a copy
    } else {
        for (const Eigen::MatrixXf& factor : layer.factors()) {
            up.push_back(backend().upload(factor));
        }
    }
    return &m_weights.emplace(&layer, std::move(up)).first->second;
}

Matrix DeviceProducts::uploaded(const Activations& X, std::int64_t first, std::int64_t count) {
    const bool presented = X.data() == m_presented && X.cols() == m_presentedColumns;
    if (!presented || count != X.cols()) {
        return backend().upload(X.middleCols(first, count));
    }
    if (!m_presentedUp) {
        m_presentedUp = backend().upload(X);
    }
    return m_presentedUp;
}

bool DeviceProducts::apply(const LinearLayer& layer, const Activations& X, Eigen::MatrixXf& Y) {
    if (m_failure) {
        return false;
    }
    try {
        const std::vector<Matrix>* weight = weightOf(layer, X.cols());
        if (weight == nullptr) {
            return false;
        }
        Eigen::MatrixXf result(layer.d2(), X.cols());
        inBatches(X.cols(), X.cols(), [&](std::int64_t first, std::int64_t count) {
            Matrix y = uploaded(X, first, count);
            for (const Matrix& factor : *weight) {
                const Matrix x = y;
                y = backend().zeros(factor.cols, count);
                backend().gemm(Op::Transpose, Op::None, 1, factor, x, 0, y);
            }
            if (count == X.cols()) {
                result = backend().download(y);
            } else {
                result.middleCols(first, count) = backend().download(y);
            }
        });
        Y = std::move(result);
        return true;
    } catch (const DeviceError& error) {
        if (!mayGoOnWithout(error)) {
            throw;
        }
        return false;
    }
}

std::unique_ptr<GramSum> DeviceProducts::gramSum(std::int64_t d1, std::int64_t tokens) {
    if (m_failure) {
        return nullptr;
    }
    try {
        return pays(gramWork(d1, tokens)) ? backend().gramSum(d1) : nullptr;
    } catch (const DeviceError& error) {
        if (!mayGoOnWithout(error)) {
            throw;
        }
        return nullptr;
    }
}

void DeviceProducts::add(const Activations& X, GramSum& sum) {
    if (m_failure) {
        throw *m_failure;
    }
    inBatches(X.cols(), X.cols(), [&](std::int64_t first, std::int64_t count) {
        const Matrix x = uploaded(X, first, count);
        try {
            sum.add(x);
        } catch (const OutOfDeviceMemory& error) {
            // Not to be tried again in halves: a part of X may be in the sum already.
            throw DeviceError(error.problem(), error.where(), error.hint());
        }
    });
}

bool DeviceProducts::mayGoOnWithout(const DeviceError& error) {
    if (!m_device.cpuMayTakeOver) {
        return false;
    }
    if (!m_failure) {
        m_failure = error;
        forget();
        m_backend.reset();
        if (m_cpuTakesOver) {
            m_cpuTakesOver(error);
        }
    }
    return true;
}

std::unique_ptr<DeviceProducts> productsOn(const ComputeDevice& device, int hostCores,
                                           std::function<void(const DeviceError&)> cpuTakesOver) {
    return device.open
               ? std::make_unique<DeviceProducts>(device, hostCores, std::move(cpuTakesOver))
               : nullptr;
}

std::unique_ptr<DeviceProducts> productsOn(const ComputeDevice& device, int hostCores,
                                           std::string& computedBy,
                                           std::function<void(const DeviceError&)> cpuTakesOver) {
    computedBy = device.description;
    return productsOn(device, hostCores,
                      [&computedBy, told = std::move(cpuTakesOver)](const DeviceError& error) {
                          computedBy += ", then cpu (" + error.problem() + ")";
                          if (told) {
                              told(error);
                          }
                      });
}

}  // namespace cospadi
