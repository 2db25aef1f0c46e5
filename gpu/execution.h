// Where kernels run: on a CUDA device, or on the host in its emulation (COSPADI_GPU_EMULATED), from
// the same sources. Kernel sources include this header and nothing of CUDA itself, and start
// kernels with launch(), which takes the place of <<<…>>>. Errors: checkCuda throws
// cospadi::DeviceError naming the call.
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

constexpr unsigned kFullWarp = 0xffffffffU;
constexpr int kWarpSize = 32;

#if defined(__CUDACC__) && !defined(COSPADI_GPU_EMULATED)
template <typename... Parameters, typename... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            cudaStream_t stream, Arguments... arguments) {
    kernel<<<grid, block, 0, stream>>>(static_cast<Parameters>(arguments)...);
    checkCuda(cudaGetLastError(), name);
}
#elif defined(COSPADI_GPU_EMULATED)
template <typename... Parameters, typename... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            cudaStream_t stream, Arguments... arguments) {
    checkCuda(
        emulation::run(grid, block, stream, [&] { kernel(static_cast<Parameters>(arguments)...); }),
        name);
}
#endif

// Blocks for `count` items at `perBlock` each, at least one: an empty grid is an error to CUDA.
inline unsigned blocksFor(std::int64_t count, std::int64_t perBlock) {
    const std::int64_t blocks = (count + perBlock - 1) / perBlock;
    return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

}  // namespace cospadi
