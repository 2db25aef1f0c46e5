#include "core/run/run_backends.h"

#include <utility>

#include "core/linalg/cpu_backend.h"

namespace cospadi {

RunBackends::RunBackends(const ComputeDevice& device, int cores, Warning warning)
    : m_device(device),
      m_cores(cores > 0 ? cores : ThreadPool::availableCores()),
      m_warning(std::move(warning)) {}

std::unique_ptr<DeviceProducts> RunBackends::products(const ThreadPool& pool) {
    if (m_failed) {
        return nullptr;
    }
    return productsOn(m_device, pool.threadCount(), [this](const DeviceError& error) {
        m_warning("", error.problem() + "; calibration and the rest continue on the CPU");
        m_failed = true;
    });
}

bool RunBackends::run(WorkerBackends& worker, const std::string& matrix,
                      const std::function<bool(Backend&)>& work) {
    if (m_device.open && !m_failed) {
        try {
            if (!worker.onDevice) {
                worker.onDevice = m_device.open(worker.threads);
            }
            return work(*worker.onDevice);
        } catch (const DeviceError& error) {
            if (!m_device.cpuMayTakeOver) {
                throw;
            }
            m_warning(matrix, error.problem() + "; this matrix and the rest continue on the CPU");
            m_failed = true;
        }
    }
    if (!worker.onCpu) {
        worker.onCpu = std::make_unique<CpuBackend>(worker.threads);
    }
    return work(*worker.onCpu);
}

}  // namespace cospadi
