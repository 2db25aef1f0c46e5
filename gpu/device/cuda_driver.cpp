// The driver's own interface, by its symbols: no header or library of CUDA is needed to ask.
#include "gpu/device/cuda_driver.h"

#include <array>

#include "gpu/device/shared_library.h"

namespace cospadi {

namespace {

constexpr int kMultiprocessors = 16;  // CUdevice_attribute
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

class InstalledDriver final : public CudaDriver {
  public:
    InstalledDriver() : m_library("libcuda.so.1") {
        m_complete =
            m_library.find("cuDriverGetVersion", m_getVersion) &&
            m_library.find("cuInit", m_init) && m_library.find("cuGetErrorString", m_errorString) &&
            m_library.find("cuDeviceGetCount", m_count) && m_library.find("cuDeviceGet", m_get) &&
            m_library.find("cuDeviceGetName", m_name) &&
            m_library.find("cuDeviceGetAttribute", m_attribute) &&
            m_library.find("cuDeviceTotalMem_v2", m_totalMemory) &&
            m_library.find("cuDevicePrimaryCtxRetain", m_retain) &&
            m_library.find("cuDevicePrimaryCtxRelease_v2", m_release) &&
            m_library.find("cuCtxPushCurrent_v2", m_push) &&
            m_library.find("cuCtxPopCurrent_v2", m_pop) &&
            m_library.find("cuMemGetInfo_v2", m_memory);
        m_library.find("cuDeviceGetPCIBusId", m_bus);  // nice to have
        if (m_complete) {
            m_status = m_init(0);
        }
    }

    std::optional<int> version() override {
        int value = 0;
        if (!m_complete || m_getVersion(&value) != 0) {
            return std::nullopt;
        }
        return value;
    }

    std::string problem() override {
        if (!m_complete || m_status == 0) {
            return {};
        }
        const char* text = nullptr;
        return m_errorString(m_status, &text) == 0 && text != nullptr
                   ? text
                   : "error " + std::to_string(m_status);
    }

    std::vector<DeviceInfo> devices() override {
        std::vector<DeviceInfo> found;
        int count = 0;
        if (!m_complete || m_status != 0 || m_count(&count) != 0) {
            return found;
        }
        for (int i = 0; i < count; ++i) {
            int device = 0;
            std::array<char, 256> name{};
            std::size_t bytes = 0;
            DeviceInfo info;
            info.index = i;
            if (m_get(&device, i) == 0 && m_name(name.data(), 255, device) == 0 &&
                m_attribute(&info.major, kCapabilityMajor, device) == 0 &&
                m_attribute(&info.minor, kCapabilityMinor, device) == 0 &&
                m_attribute(&info.processors, kMultiprocessors, device) == 0 &&
                m_totalMemory(&bytes, device) == 0) {
                info.name = name.data();
                info.totalBytes = static_cast<std::int64_t>(bytes);
                std::array<char, 32> bus{};
                if (m_bus != nullptr && m_bus(bus.data(), 31, device) == 0) {
                    info.bus = bus.data();
                }
                found.push_back(info);
            }
        }
        return found;
    }

    std::optional<std::int64_t> freeBytes(int index) override {
        int device = 0;
        void* context = nullptr;
        if (!m_complete || m_status != 0 || m_get(&device, index) != 0 ||
            m_retain(&context, device) != 0) {
            return std::nullopt;
        }
        std::size_t free = 0;
        std::size_t total = 0;
        bool known = false;
        if (m_push(context) == 0) {
            known = m_memory(&free, &total) == 0;
            m_pop(&context);
        }
        m_release(device);
        return known ? std::optional(static_cast<std::int64_t>(free)) : std::nullopt;
    }

  private:
    SharedLibrary m_library;
    bool m_complete = false;
    int m_status = 0;
    int (*m_getVersion)(int*) = nullptr;
    int (*m_init)(unsigned) = nullptr;
    int (*m_errorString)(int, const char**) = nullptr;
    int (*m_count)(int*) = nullptr;
    int (*m_get)(int*, int) = nullptr;
    int (*m_name)(char*, int, int) = nullptr;
    int (*m_attribute)(int*, int, int) = nullptr;
    int (*m_totalMemory)(std::size_t*, int) = nullptr;
    int (*m_retain)(void**, int) = nullptr;
    int (*m_release)(int) = nullptr;
    int (*m_push)(void*) = nullptr;
    int (*m_pop)(void**) = nullptr;
    int (*m_memory)(std::size_t*, std::size_t*) = nullptr;
    int (*m_bus)(char*, int, int) = nullptr;
};

}  // namespace

std::unique_ptr<CudaDriver> installedDriver() { return std::make_unique<InstalledDriver>(); }

}  // namespace cospadi
