#include "gpu/device/device_monitor.h"

namespace cospadi {

DeviceMonitor::DeviceMonitor(const std::string& bus, const std::string& library)
    : m_library(library) {
    const bool complete = m_library.find("nvmlInit_v2", m_init) &&
                          m_library.find("nvmlDeviceGetHandleByPciBusId_v2", m_byBus) &&
                          m_library.find("nvmlDeviceGetMemoryInfo", m_memory) &&
                          m_library.find("nvmlDeviceGetUtilizationRates", m_utilization);
    if (!complete || bus.empty() || m_init() != 0 || m_byBus(bus.c_str(), &m_device) != 0) {
        m_device = nullptr;
    }
}

std::optional<DeviceLoad> DeviceMonitor::load() {
    const std::scoped_lock lock(m_mutex);
    Memory memory;
    if (m_device == nullptr || m_memory(m_device, &memory) != 0) {
        return std::nullopt;
    }
    DeviceLoad load;
    load.usedBytes = static_cast<std::int64_t>(memory.used);
    load.totalBytes = static_cast<std::int64_t>(memory.total);
    Utilization share;
    if (m_utilization(m_device, &share) == 0) {  // not of a part of a device (MIG)
        load.load = share.gpu / 100.0;
    }
    return load;
}

}  // namespace cospadi
