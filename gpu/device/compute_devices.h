// The machine's devices as runs use them: from --device to backends.
#pragma once

#include <string>

#include "core/linalg/compute_device.h"
#include "gpu/device/device_choice.h"

namespace cospadi {

// What this build of the program needs: nothing it could use, where it was built without CUDA.
CudaRequirements cudaRequirements();

// As chooseDevice, with the driver that is installed. tf32: products on tensor cores.
ComputeDevice computeDevice(const std::string& request, bool tf32 = false);

// On `device` for the calling thread. Throws DeviceError, also in a build without CUDA.
std::unique_ptr<Backend> openCudaBackend(const DeviceInfo& device, bool tf32);

// The most device memory that the backend took so far; 0 for one on the CPU.
std::int64_t devicePeakBytes(const Backend& backend);

}  // namespace cospadi
