// Whether a product whose matrices live on the host is sent to a device: what is saved in
// arithmetic must be worth the bytes that cross the bus, and what stays there must fit
// (docs/gpu.md, "Where it pays").
#pragma once

#include <cstdint>

namespace cospadi {

// What the rule assumes of a machine. Assumptions, not measurements: a device that is worth the
// name passes by far or not at all.
struct DeviceRates {
    double bytesPerSecond = 8e9;     // over the bus, from and to pageable memory
    double deviceOperations = 1e13;  // a second; a multiply-add is two
    double hostOperationsPerCore = 5e10;
};

struct DeviceWork {
    double operations = 0;
    double bytes = 0;            // up and down
    std::int64_t heldBytes = 0;  // on the device, with a piece of kSmallestPiece tokens
};

// Y = Wᵀ X for X (d1, tokens), W (d1, d2) or a product of (d1, inner) and (inner, d2); W goes up
// with it.
DeviceWork productWork(std::int64_t d1, std::int64_t d2, std::int64_t tokens,
                       std::int64_t inner = 0);
// G += X Xᵀ for X (d1, tokens), in double; G comes down with it.
DeviceWork gramWork(std::int64_t d1, std::int64_t tokens);

bool paysOnDevice(const DeviceWork& work, const DeviceRates& rates, int hostCores,
                  std::int64_t availableBytes);

}  // namespace cospadi
