// Where kernels run: on a CUDA device, or on the host in its emulation (COSPADI_GPU_EMULATED), from
// the same sources. Kernel sources include this header and nothing of CUDA itself, and start
// kernels with launch(), which takes the place of <<<…>>>. Errors: checkCuda throws
// cospadi::DeviceError naming the call, OutOfDeviceMemory where the call found no memory.
#pragma once

#include <cstdint>

#ifdef COSPADI_GPU_EMULATED
#include "gpu/emulation/emulated_cuda.h"
#else
#include <cuda_runtime.h>
#endif

namespace cospadi {

// doing: what was asked of the device, e.g. "threshold step".
void checkCuda(cudaError_t status, const char* doing);

// Gives the current device back what its pool keeps for the next allocations. Waits for the whole
// device: what another stream freed leaves the pool only once the host has seen that stream get
// there.
void trimDeviceMemory();

constexpr unsigned kFullWarp = 0xffffffffU;
constexpr int kWarpSize = 32;

#if defined(__CUDACC__) && !defined(COSPADI_GPU_EMULATED)
template <typename... Parameters, typename... Arguments>
cudaError_t startGrid(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                      Arguments... arguments) {
    kernel<<<grid, block, 0, stream>>>(static_cast<Parameters>(arguments)...);
    return cudaGetLastError();
}
#elif defined(COSPADI_GPU_EMULATED)
template <typename... Parameters, typename... Arguments>
cudaError_t startGrid(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                      Arguments... arguments) {
    return emulation::run(grid, block, stream,
                          [&] { kernel(static_cast<Parameters>(arguments)...); });
}
#endif

#if defined(__CUDACC__) || defined(COSPADI_GPU_EMULATED)
// The code of a kernel is loaded onto the device at its first launch, for which a pool that has
// taken everything leaves no room.
template <typename... Parameters, typename... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            cudaStream_t stream, Arguments... arguments) {
    cudaError_t status = startGrid(kernel, grid, block, stream, arguments...);
    if (status == cudaErrorMemoryAllocation) {
        trimDeviceMemory();
        status = startGrid(kernel, grid, block, stream, arguments...);
    }
    checkCuda(status, name);
}
#endif

// Blocks for `count` items at `perBlock` each, at least one: an empty grid is an error to CUDA.
inline unsigned blocksFor(std::int64_t count, std::int64_t perBlock) {
    const std::int64_t blocks = (count + perBlock - 1) / perBlock;
    return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

}  // namespace cospadi
