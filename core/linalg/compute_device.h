// Where a run computes. Filled by the program, which alone knows of devices; the default is the
// CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/linalg/backend.h"
#include "core/linalg/device_rule.h"

namespace cospadi {

// How busy a device is at this moment, with everybody's work on it.
struct DeviceLoad {
    std::int64_t usedBytes = 0;
    std::int64_t totalBytes = 0;
    double load = -1;  // share of the last moments in which it computed; negative: not known
};

struct ComputeDevice {
    std::string description = "cpu";  // stands in the environment record of a run
    std::string reason;               // where `auto` found no device: why, in words
    int matricesAtOnce = 0;           // 0: one a core
    bool cpuMayTakeOver = false;      // where the device fails in the middle of a run
    DeviceRates rates;                // what is sent there from the host
    // A backend for the calling thread, `threads` of the host at its disposal; throws DeviceError.
    // Empty: CpuBackend.
    std::function<std::unique_ptr<Backend>(int threads)> open;
    // Nothing where the device does not say; empty: CPU. From any thread, cheap enough for once a
    // second.
    std::function<std::optional<DeviceLoad>()> load;
};

}  // namespace cospadi
