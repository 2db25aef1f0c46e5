// The host's side of the emulation: the CUDA runtime's calls for streams, memory and devices, under
// CUDA's names, and the faults that tests play. Device memory starts as NaN and lies in heap blocks
// of its own, where AddressSanitizer sees an access beside them.
// Thread-safety: memory is taken and given back from any thread; faults are set while nothing runs.
#pragma once

#include <cstddef>

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorInvalidResourceHandle = 400
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
enum cudaMemPoolAttr { cudaMemPoolAttrReservedMemCurrent = 5, cudaMemPoolAttrUsedMemCurrent = 7 };
using cudaStream_t = struct EmulatedStream*;
using cudaMemPool_t = struct EmulatedPool*;

const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
// Of the host; not counted as held.
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
// Any number is a device: all share one memory, each thread has a current one. What is queued on a
// stream of another device fails, of which CUDA itself lets pass the copies.
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
// What was freed is kept by nobody: nothing is in reserve but what keepInPool() says.
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep);

namespace cospadi::emulation {

// Allocations fail once more than `bytes` would be held; 0 takes the limit away.
void failAllocationsAbove(std::size_t bytes);
// As if `bytes` had been freed in pieces that no allocation can use: they count as held until the
// pool is trimmed.
void keepInPool(std::size_t bytes);
// A launch finds no memory where less than `bytes` are free, as one whose code is not on the device
// yet.
void needForCode(std::size_t bytes);
bool codeFits();
// Every call fails from now on, as after a fault of the device; false gives it back.
void loseDevice(bool lost);
std::size_t bytesHeld();
// Calls of cudaSetDevice() and cudaMemPoolTrimTo() so far.
std::size_t deviceChanges();
std::size_t trims();

// What any call on the stream returns before it does anything: an error where the device is lost,
// or the stream is of another device than the thread's current one.
cudaError_t healthOf(cudaStream_t stream);

}  // namespace cospadi::emulation
