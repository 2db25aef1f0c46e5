// How busy a device is, whoever keeps it so: memory and load as the driver's management library
// (NVML, libnvidia-ml.so.1) has them, loaded while the program runs; without it nothing is known.
// Safe from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/linalg/compute_device.h"
#include "gpu/device/shared_library.h"

namespace cospadi {

class DeviceMonitor {
  public:
    // bus: where the device sits, as the driver names it, e.g. "0000:65:00.0"; devices are counted
    // differently there.
    explicit DeviceMonitor(const std::string& bus,
                           const std::string& library = "libnvidia-ml.so.1");

    std::optional<DeviceLoad> load();

  private:
    struct Memory {  // nvmlMemory_t
        unsigned long long total = 0, free = 0, used = 0;
    };
    struct Utilization {  // nvmlUtilization_t: per cent of the last moments
        unsigned gpu = 0, memory = 0;
    };

    SharedLibrary m_library;
    std::mutex m_mutex;
    void* m_device = nullptr;
    int (*m_init)() = nullptr;
    int (*m_byBus)(const char*, void**) = nullptr;
    int (*m_memory)(void*, Memory*) = nullptr;
    int (*m_utilization)(void*, Utilization*) = nullptr;
};

}  // namespace cospadi
