#include "core/linalg/device_rule.h"

#include <algorithm>

namespace cospadi {

namespace {

constexpr std::int64_t kSmallestPiece = 256;

double real(std::int64_t value) { return static_cast<double>(value); }

}  // namespace

DeviceWork productWork(std::int64_t d1, std::int64_t d2, std::int64_t tokens, std::int64_t inner) {
    const std::int64_t entries = inner > 0 ? inner * (d1 + d2) : d1 * d2;
    DeviceWork work;
    work.operations = 2 * real(entries) * real(tokens);
    work.bytes = 4 * (real(entries) + real(tokens) * real(d1 + d2));
    work.heldBytes = 4 * (entries + std::min(tokens, kSmallestPiece) * (d1 + inner + d2));
    return work;
}

DeviceWork gramWork(std::int64_t d1, std::int64_t tokens) {
    DeviceWork work;
    work.operations = real(d1) * real(d1) * real(tokens);
    work.bytes = 8 * real(d1) * real(d1) + 4 * real(tokens) * real(d1);
    work.heldBytes = 8 * d1 * d1 + 12 * std::min(tokens, kSmallestPiece) * d1;  // float and double
    return work;
}

bool paysOnDevice(const DeviceWork& work, const DeviceRates& rates, int hostCores,
                  std::int64_t availableBytes) {
    const double onDevice =
        work.bytes / rates.bytesPerSecond + work.operations / rates.deviceOperations;
    const double onHost = work.operations / (rates.hostOperationsPerCore * hostCores);
    return onDevice < onHost && work.heldBytes <= availableBytes;
}

}  // namespace cospadi
