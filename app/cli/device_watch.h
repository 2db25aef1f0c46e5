// Tells how busy the device of a run is, at most once a second and only while something happens:
// the engine's `device` events.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "core/linalg/compute_device.h"

namespace cospadi::cli {

class DeviceWatch {
  public:
    // Says nothing where the device does not (the CPU, or a driver without its library).
    DeviceWatch(const ComputeDevice& device, std::function<void(const nlohmann::json&)> send);

    void look();  // from any thread

  private:
    std::function<std::optional<DeviceLoad>()> m_load;
    std::function<void(const nlohmann::json&)> m_send;
    std::atomic<std::chrono::steady_clock::duration::rep> m_next = 0;
};

}  // namespace cospadi::cli
