// Handles of CUDA's libraries, which take device memory for themselves.
#pragma once

#include "gpu/device_memory.h"

namespace cospadi {

// What create(handle) returns, 0 for success; once more behind memory.trim() where it fails: a full
// device is not always called one.
template <typename Create, typename Handle>
auto openHandle(DeviceMemory& memory, const Create& create, Handle& handle) {
    checkCuda(memory.makeCurrent(), "opening a library");
    auto status = create(&handle);
    if (status != 0) {
        memory.trim();
        status = create(&handle);
    }
    return status;
}

}  // namespace cospadi
