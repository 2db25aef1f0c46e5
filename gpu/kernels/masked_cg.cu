#include "gpu/kernels/masked_cg.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

__global__ void __launch_bounds__(kThreads)
    startKernel(std::int64_t k, float limit, const float* allTargets, const float* allCodes,
                float* allResiduals, float* allDirections, std::uint8_t* allMasks, float* norm,
                float* goal) {
    const std::int64_t offset = blockIdx.x * k;
    float squared = 0;
    float squaredTarget = 0;
    for (std::int64_t i = offset + threadIdx.x; i < offset + k; i += kThreads) {
        const bool used = allCodes[i] != 0;
        const float target = allTargets[i];
        const float residual = used ? target - allResiduals[i] : 0.0F;
        allResiduals[i] = residual;
        allDirections[i] = residual;
        allMasks[i] = used ? 1 : 0;
        squared += residual * residual;
        squaredTarget += target * target;
    }
    squared = blockSum(squared);
    squaredTarget = blockSum(squaredTarget);
    if (threadIdx.x == 0) {
        norm[blockIdx.x] = squared;
        goal[blockIdx.x] = limit * squaredTarget;
    }
}

__global__ void __launch_bounds__(kThreads)
    stepKernel(std::int64_t k, const float* allImages, std::int64_t imageLd,
               const std::uint8_t* allMasks, const float* goal, float* allCodes,
               float* allResiduals, float* allDirections, float* norm, unsigned* busy) {
    const std::int64_t first = blockIdx.x * k + threadIdx.x;
    const std::int64_t last = (blockIdx.x + 1) * k;
    const float* image = allImages + blockIdx.x * (imageLd - k);  // from allImages on, as the rest
    const float before = norm[blockIdx.x];
    float curvature = 0;
    for (std::int64_t i = first; i < last; i += kThreads) {
        curvature += allDirections[i] * image[i];
    }
    curvature = blockSum(curvature);
    if (before <= goal[blockIdx.x] || !(curvature > 0)) {  // the same for all threads of the block
        for (std::int64_t i = first; i < last; i += kThreads) {
            allDirections[i] = 0;
        }
        return;
    }
    const float step = before / curvature;
    float after = 0;
    for (std::int64_t i = first; i < last; i += kThreads) {
        if (allMasks[i] != 0) {
            allCodes[i] += step * allDirections[i];
            const float residual = allResiduals[i] - step * image[i];
            allResiduals[i] = residual;
            after += residual * residual;
        }
    }
    after = blockSum(after);
    const float beta = after / before;
    for (std::int64_t i = first; i < last; i += kThreads) {
        allDirections[i] = allResiduals[i] + beta * allDirections[i];
    }
    if (threadIdx.x == 0) {
        norm[blockIdx.x] = after;
        atomicAdd(busy, 1U);
    }
}

}  // namespace

void startCg(std::int64_t k, std::int64_t columns, float limit, const float* target,
             const float* codes, float* residual, float* direction, std::uint8_t* mask, float* norm,
             float* goal, cudaStream_t stream) {
    launch("conjugate gradients", startKernel, static_cast<unsigned>(columns), kThreads, stream, k,
           limit, target, codes, residual, direction, mask, norm, goal);
}

void stepCg(std::int64_t k, std::int64_t columns, const float* image, std::int64_t imageLd,
            const std::uint8_t* mask, const float* goal, float* codes, float* residual,
            float* direction, float* norm, unsigned* busy, cudaStream_t stream) {
    launch("conjugate gradients", stepKernel, static_cast<unsigned>(columns), kThreads, stream, k,
           image, imageLd, mask, goal, codes, residual, direction, norm, busy);
}

}  // namespace cospadi::kernels
