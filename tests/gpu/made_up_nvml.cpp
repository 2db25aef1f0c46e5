// A management library with one device at 0000:65:00.0, for tst_device_choice: 141 GB, 30 in use,
// 87 per cent busy, unless $COSPADI_MADE_UP_NVML says "mig" (no load) or "lost" (nothing).
#include <cstdlib>
#include <cstring>

namespace {

bool says(const char* word) {
    const char* state = std::getenv("COSPADI_MADE_UP_NVML");
    return state != nullptr && std::strcmp(state, word) == 0;
}

constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
constexpr int kLost = 15;

}  // namespace

extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
    static int one = 1;
    *device = &one;
    return std::strcmp(bus, "0000:65:00.0") == 0 ? 0 : kNotFound;
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* totalFreeUsed) {
    totalFreeUsed[0] = 141'000'000'000ULL;
    totalFreeUsed[1] = 111'000'000'000ULL;
    totalFreeUsed[2] = 30'000'000'000ULL;
    return says("lost") ? kLost : 0;
}

int nvmlDeviceGetUtilizationRates(void*, unsigned* gpuAndMemory) {
    gpuAndMemory[0] = 87;
    gpuAndMemory[1] = 12;
    return says("mig") ? kNotSupported : 0;
}
}
