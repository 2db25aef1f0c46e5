// A CUDA stream and the memory that is allocated in its order, on the device that was current where
// they were made. Shared by a backend and all of its matrices, so that a matrix may outlive its
// backend.
// Errors: OutOfDeviceMemory where an allocation fails, DeviceError where the device does.
// Thread-safety: one thread at a time, which need not be the same each time: its current device
// becomes this one. Several objects may share a device; memory that was freed stays with the
// program until the last of them is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "gpu/execution.h"

namespace cospadi {

class DeviceMemory {
  public:
    DeviceMemory();
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    // On the calling thread; whatever else is called here does so, too.
    cudaError_t makeCurrent() const noexcept;
    // Makes the device current: who asks for the stream is about to use it.
    cudaStream_t stream() const;
    // Waits until everything that was asked for is done.
    void synchronize(const char* doing) const;

    // Waits until `bytes` of `from` on the device stand at `to`.
    void download(void* to, const void* from, std::size_t bytes, const char* doing) const;

    void* allocate(std::int64_t bytes);
    void release(void* block, std::int64_t bytes) noexcept;
    // Gives the device back what is kept for the next allocation here: cuBLAS and cuSOLVER allocate
    // for themselves.
    void trim();

    std::int64_t peakBytes() const { return m_peak; }
    // Free on the device, or given back and kept by the program for the next allocation.
    std::int64_t availableBytes() const;

  private:
    int m_device = 0;
    cudaMemPool_t m_pool = nullptr;
    cudaStream_t m_stream = nullptr;
    void* m_landing = nullptr;  // page-locked: scalars come down sooner than to any other memory
    std::int64_t m_held = 0;
    std::int64_t m_peak = 0;
};

// `count` values of T on the device; unset at first.
template <typename T>
class DeviceBuffer {
  public:
    DeviceBuffer(DeviceMemory& memory, std::int64_t count)
        : m_memory(memory),
          m_bytes((count > 0 ? count : 1) * static_cast<std::int64_t>(sizeof(T))),
          m_data(static_cast<T*>(memory.allocate(m_bytes))) {}
    ~DeviceBuffer() { m_memory.release(m_data, m_bytes); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    T* get() const { return m_data; }
    void clear(const char* doing) {
        checkCuda(cudaMemsetAsync(m_data, 0, static_cast<std::size_t>(m_bytes), m_memory.stream()),
                  doing);
    }
    // Waits for the device, as `from` may be pageable.
    void upload(std::int64_t count, const T* from, const char* doing) {
        checkCuda(cudaMemcpyAsync(m_data, from, static_cast<std::size_t>(count) * sizeof(T),
                                  cudaMemcpyHostToDevice, m_memory.stream()),
                  doing);
        m_memory.synchronize(doing);
    }
    // Waits for the device.
    void download(std::int64_t count, T* to, const char* doing) const {
        m_memory.download(to, m_data, static_cast<std::size_t>(count) * sizeof(T), doing);
    }

  private:
    DeviceMemory& m_memory;
    std::int64_t m_bytes;
    T* m_data;
};

}  // namespace cospadi
