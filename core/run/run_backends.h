// Where a run computes: its device, and the CPU that takes over once the device has failed and may
// be done without.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "core/base/thread_pool.h"
#include "core/linalg/compute_device.h"
#include "core/model/device_products.h"

namespace cospadi {

// A thread's backends, opened when first needed.
struct WorkerBackends {
    int threads = 1;
    std::unique_ptr<Backend> onDevice;
    std::unique_ptr<Backend> onCpu;
};

class RunBackends {
  public:
    // What a user should know; matrix may be empty. Called from any thread.
    using Warning = std::function<void(const std::string& matrix, const std::string& message)>;

    // device must outlive it. cores: 0 = all.
    RunBackends(const ComputeDevice& device, int cores, Warning warning);

    int cores() const { return m_cores; }
    int matricesAtOnce() const { return m_device.open ? m_device.matricesAtOnce : m_cores; }

    // Products of calibration on the device; null on the CPU. It must not outlive this object.
    std::unique_ptr<DeviceProducts> products(const ThreadPool& pool);

    // Runs work for a matrix on the worker's backend. Where the device fails in it and may be done
    // without, this matrix and all that are left go to the CPU; else the DeviceError passes.
    // Thread-safe for workers of their own.
    bool run(WorkerBackends& worker, const std::string& matrix,
             const std::function<bool(Backend&)>& work);

  private:
    const ComputeDevice& m_device;
    int m_cores;
    Warning m_warning;
    std::atomic<bool> m_failed{false};
};

}  // namespace cospadi
