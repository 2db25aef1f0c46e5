#include "core/base/device_state.h"

namespace cospadi {

namespace {

bool isThere(const std::filesystem::path& path) {
    std::error_code unreadable;
    return std::filesystem::exists(path, unreadable);
}

}  // namespace

bool builtWithCuda() {
#ifdef COSPADI_HAS_CUDA
    return true;
#else
    return false;
#endif
}

DeviceState deviceState(bool withCuda, const std::filesystem::path& root) {
    if (!withCuda) {
        return {"cpu",
                "this program was built without CUDA: no CUDA compiler was found when it was "
                "configured"};
    }
    if (!isThere(root / "proc/driver/nvidia/version")) {
        return {"cpu", "no NVIDIA driver is loaded on this machine"};
    }
    if (!isThere(root / "dev/nvidia0")) {
        return {"cpu", "the NVIDIA driver is loaded but shows no device (/dev/nvidia0 is missing)"};
    }
    return {"cuda", ""};
}

}  // namespace cospadi
