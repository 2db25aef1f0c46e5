#include "gpu/emulation/emulated_cuda.h"

#include <memory>
#include <mutex>

#include "gpu/emulation/thread_scheduler.h"

namespace cospadi::emulation {

namespace {

constexpr std::size_t kMaxThreads = 1024;  // a block, on every device

std::mutex gridMutex;
std::unique_ptr<ThreadScheduler> scheduler =
    std::make_unique<ThreadScheduler>(ThreadOrder::Forwards);
std::size_t launchCount = 0;

}  // namespace

void setThreadOrder(ThreadOrder order) { scheduler->setOrder(order); }

std::size_t launches() { return launchCount; }

cudaError_t run(dim3 grid, dim3 block, cudaStream_t stream, const std::function<void()>& body) {
    if (healthOf(stream) != cudaSuccess) {
        return healthOf(stream);
    }
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > kMaxThreads || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
        grid.y > 65535 || grid.z > 65535) {
        return cudaErrorInvalidConfiguration;
    }
    if (!codeFits()) {
        return cudaErrorMemoryAllocation;
    }
    const std::scoped_lock lock(gridMutex);
    ++launchCount;
    try {
        scheduler->runGrid(grid, block, body);
    } catch (...) {
        scheduler = std::make_unique<ThreadScheduler>(scheduler->order());
        throw;
    }
    return cudaSuccess;
}

void syncBlock() { scheduler->syncBlock(); }

const std::uint64_t* exchangeInWarp(unsigned mask, std::uint64_t bits) {
    return scheduler->exchange(mask, bits);
}

}  // namespace cospadi::emulation
