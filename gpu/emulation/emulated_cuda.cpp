// Fibres: contexts of ucontext.h, entered once and then switched with setjmp, which does not ask
// the kernel for the signal mask as swapcontext does. A thread that never waits leaves its fibre to
// the next one.
#include "gpu/emulation/emulated_cuda.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

struct EmulatedStream {
    int device = 0;
};

namespace cospadi::emulation {

const Place* place = nullptr;

namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr unsigned kWarp = 32;
constexpr std::size_t kMaxThreads = 1024;  // a block, on every device
constexpr std::size_t kTotalBytes = std::size_t{16} << 30;

enum class State { Ready, AtBarrier, InWarp, Done };

struct Fibre {
    ucontext_t context{};
    jmp_buf jump{};
    bool entered = false;
    std::size_t thread = 0;
    std::vector<unsigned char> stack = std::vector<unsigned char>(kStackBytes);
    void* fakeStack = nullptr;
};

struct Thread {
    State state = State::Ready;
    Place place;
    Fibre* fibre = nullptr;
    unsigned exchanges = 0;
};

struct Warp {
    std::uint64_t values[2][kWarp] = {};  // two, so that one exchange needs one barrier
};

class Machine {
  public:
    void runGrid(dim3 grid, dim3 block, const std::function<void()>& body) {
        m_body = &body;
        const std::size_t count = std::size_t{block.x} * block.y * block.z;
        m_threads.assign(count, {});
        m_warps.assign((count + kWarp - 1) / kWarp, {});
        for (unsigned z = 0; z < grid.z; ++z) {
            for (unsigned y = 0; y < grid.y; ++y) {
                for (unsigned x = 0; x < grid.x; ++x) {
                    runBlock({{}, dim3(x, y, z), block, grid});
                }
            }
        }
    }

    void syncBlock() {
        m_threads[m_running].state = State::AtBarrier;
        backToScheduler();
    }

    const std::uint64_t* exchange(unsigned mask, std::uint64_t bits) {
        const std::size_t self = m_running;
        if (mask != 0xffffffffU || m_threads.size() % kWarp != 0) {
            throw std::logic_error("a warp exchange without the whole warp");
        }
        Warp& warp = m_warps[self / kWarp];
        auto& values = warp.values[m_threads[self].exchanges++ % 2];
        values[self % kWarp] = bits;
        m_threads[self].state = State::InWarp;
        backToScheduler();
        return values;
    }

    ThreadOrder order = ThreadOrder::Forwards;

  private:
    void runBlock(const Place& origin) {
        const std::size_t count = m_threads.size();
        for (std::size_t t = 0; t < count; ++t) {
            m_threads[t] = {};
            m_threads[t].place = origin;
            const auto index = static_cast<unsigned>(t);
            const dim3 size = origin.blockSize;
            m_threads[t].place.thread =
                dim3(index % size.x, index / size.x % size.y, index / (size.x * size.y));
        }
        m_done = 0;
        std::vector<std::size_t> turn(count);
        std::iota(turn.begin(), turn.end(), std::size_t{0});
        if (order == ThreadOrder::Backwards) {
            std::reverse(turn.begin(), turn.end());
        }
        while (m_done < count) {
            if (order == ThreadOrder::Shuffled) {
                std::shuffle(turn.begin(), turn.end(), m_random);
            }
            bool moved = false;
            for (const std::size_t t : turn) {
                if (m_threads[t].state == State::Ready) {
                    resume(t);
                    moved = true;
                }
            }
            if (!release() && !moved) {
                throw std::logic_error("threads of a block wait for each other for ever");
            }
        }
    }

    // Lets those go on whose barrier is complete.
    bool release() {
        std::size_t waiting = 0;
        bool released = false;
        for (std::size_t first = 0; first < m_threads.size(); first += kWarp) {
            std::size_t inWarp = 0;
            const std::size_t last = std::min(first + kWarp, m_threads.size());
            for (std::size_t t = first; t < last; ++t) {
                inWarp += m_threads[t].state == State::InWarp ? 1 : 0;
                waiting += m_threads[t].state == State::AtBarrier ? 1 : 0;
            }
            if (inWarp > 0 && inWarp == last - first) {
                for (std::size_t t = first; t < last; ++t) {
                    m_threads[t].state = State::Ready;
                }
                released = true;
            }
        }
        if (waiting == m_threads.size()) {
            for (Thread& thread : m_threads) {
                thread.state = State::Ready;
            }
            return true;
        }
        if (waiting > 0 && m_done > 0) {
            throw std::logic_error("a thread ended while others of its block wait at a barrier");
        }
        return released;
    }

    void resume(std::size_t t) {
        Thread& thread = m_threads[t];
        if (thread.fibre == nullptr) {
            if (m_idle.empty()) {
                m_fibres.push_back(std::make_unique<Fibre>());
                m_idle.push_back(m_fibres.back().get());
            }
            thread.fibre = m_idle.back();
            m_idle.pop_back();
            thread.fibre->thread = t;
        }
        m_running = t;
        emulation::place = &thread.place;
        enter(*thread.fibre);
        emulation::place = nullptr;
        if (m_failure) {
            std::rethrow_exception(std::exchange(m_failure, nullptr));
        }
    }

    void enter(Fibre& fibre) {
        if (_setjmp(m_scheduler) == 0) {
            announce(fibre);
            if (fibre.entered) {
                _longjmp(fibre.jump, 1);
            }
            fibre.entered = true;
            ::getcontext(&fibre.context);
            fibre.context.uc_stack.ss_sp = fibre.stack.data();
            fibre.context.uc_stack.ss_size = fibre.stack.size();
            fibre.context.uc_link = nullptr;
            ::makecontext(&fibre.context, &Machine::fibreMain, 0);
            ::setcontext(&fibre.context);
        }
        arrived(m_schedulerFakeStack, nullptr, nullptr);
    }

    void backToScheduler() {
        Fibre& fibre = *m_threads[m_running].fibre;
        if (_setjmp(fibre.jump) == 0) {
            leave(fibre);
            _longjmp(m_scheduler, 1);
        }
        arrived(fibre.fakeStack, &m_schedulerStack, &m_schedulerSize);
    }

    static void fibreMain();

    void work(Fibre& fibre) {
        arrived(nullptr, &m_schedulerStack, &m_schedulerSize);
        for (;;) {
            try {
                (*m_body)();
            } catch (...) {
                m_failure = std::current_exception();
            }
            m_threads[fibre.thread].state = State::Done;
            ++m_done;
            m_idle.push_back(&fibre);
            if (_setjmp(fibre.jump) == 0) {
                leave(fibre);
                _longjmp(m_scheduler, 1);
            }
            arrived(fibre.fakeStack, &m_schedulerStack, &m_schedulerSize);
        }
    }

#ifdef __SANITIZE_ADDRESS__
    void announce(Fibre& fibre) {
        __sanitizer_start_switch_fiber(&m_schedulerFakeStack, fibre.stack.data(),
                                       fibre.stack.size());
    }
    void leave(Fibre& fibre) {
        __sanitizer_start_switch_fiber(&fibre.fakeStack, m_schedulerStack, m_schedulerSize);
    }
    static void arrived(void* fakeStack, const void** from, std::size_t* size) {
        __sanitizer_finish_switch_fiber(fakeStack, from, size);
    }
#else
    void announce(Fibre&) {}
    void leave(Fibre&) {}
    static void arrived(void*, const void**, std::size_t*) {}
#endif

    const std::function<void()>* m_body = nullptr;
    std::vector<Thread> m_threads;
    std::vector<Warp> m_warps;
    std::vector<std::unique_ptr<Fibre>> m_fibres;
    std::vector<Fibre*> m_idle;
    std::exception_ptr m_failure;
    std::size_t m_running = 0;
    std::size_t m_done = 0;
    jmp_buf m_scheduler{};
    void* m_schedulerFakeStack = nullptr;
    const void* m_schedulerStack = nullptr;
    std::size_t m_schedulerSize = 0;
    std::mt19937 m_random{1};
};

std::mutex gridMutex;
std::unique_ptr<Machine> machine = std::make_unique<Machine>();

void Machine::fibreMain() {
    Machine& self = *machine;
    self.work(*self.m_threads[self.m_running].fibre);
}

// What the device holds, and its faults.
struct Memory {
    std::mutex mutex;
    std::unordered_map<void*, std::size_t> blocks;
    std::size_t held = 0;
    std::size_t kept = 0;
    std::size_t limit = 0;
    std::size_t trims = 0;
    bool lost = false;
    std::size_t launches = 0;
};

Memory& memory() {
    static Memory instance;
    return instance;
}

thread_local int currentDevice = 0;
std::atomic<std::size_t> deviceChangeCount = 0;

cudaError_t health() { return memory().lost ? cudaErrorDevicesUnavailable : cudaSuccess; }

cudaError_t healthOf(cudaStream_t stream) {
    const bool elsewhere = stream != nullptr && stream->device != currentDevice;
    return health() == cudaSuccess && elsewhere ? cudaErrorInvalidResourceHandle : health();
}

}  // namespace

void setThreadOrder(ThreadOrder order) { machine->order = order; }

void failAllocationsAbove(std::size_t bytes) { memory().limit = bytes; }

void keepInPool(std::size_t bytes) { memory().kept = bytes; }

void loseDevice(bool lost) { memory().lost = lost; }

std::size_t bytesHeld() { return memory().held; }

std::size_t launches() { return memory().launches; }

std::size_t deviceChanges() { return deviceChangeCount; }

std::size_t trims() { return memory().trims; }

cudaError_t run(dim3 grid, dim3 block, cudaStream_t stream, const std::function<void()>& body) {
    if (healthOf(stream) != cudaSuccess) {
        return healthOf(stream);
    }
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    if (threads == 0 || threads > kMaxThreads || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
        grid.y > 65535 || grid.z > 65535) {
        return cudaErrorInvalidConfiguration;
    }
    const std::scoped_lock lock(gridMutex);
    ++memory().launches;
    try {
        machine->runGrid(grid, block, body);
    } catch (...) {
        // Fibres that stopped half-way cannot be used again.
        const ThreadOrder order = machine->order;
        machine = std::make_unique<Machine>();
        machine->order = order;
        throw;
    }
    return cudaSuccess;
}

void syncBlock() { machine->syncBlock(); }

const std::uint64_t* exchangeInWarp(unsigned mask, std::uint64_t bits) {
    return machine->exchange(mask, bits);
}

}  // namespace cospadi::emulation

using cospadi::emulation::health;
using cospadi::emulation::healthOf;
using cospadi::emulation::memory;

const char* cudaGetErrorString(cudaError_t status) {
    switch (status) {
        case cudaSuccess:
            return "no error";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorDevicesUnavailable:
            return "CUDA-capable device(s) is/are busy or unavailable";
        case cudaErrorInvalidResourceHandle:
            return "invalid resource handle";
    }
    return "unknown error";
}

cudaError_t cudaGetLastError() { return health(); }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    if (health() == cudaSuccess) {
        *stream = new EmulatedStream{cospadi::emulation::currentDevice};
    }
    return health();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete stream;
    return health();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return healthOf(stream); }

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    if (health() == cudaSuccess) {
        *memory = ::operator new(bytes);
    }
    return health();
}

cudaError_t cudaFreeHost(void* memory) {
    ::operator delete(memory);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t stream) {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    if (healthOf(stream) != cudaSuccess) {
        return healthOf(stream);
    }
    if (m.limit > 0 && m.held + m.kept + bytes > m.limit) {
        return cudaErrorMemoryAllocation;
    }
    *block = ::operator new(bytes);
    std::memset(*block, 0xff, bytes);  // as floats: NaN
    m.blocks[*block] = bytes;
    m.held += bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    const auto found = m.blocks.find(block);
    if (found == m.blocks.end()) {
        return cudaErrorInvalidValue;
    }
    if (healthOf(stream) == cudaErrorInvalidResourceHandle) {
        return cudaErrorInvalidResourceHandle;
    }
    m.held -= found->second;
    m.blocks.erase(found);
    ::operator delete(block);
    return health();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
    if (healthOf(stream) == cudaSuccess && bytes > 0) {
        std::memcpy(to, from, bytes);
    }
    return healthOf(stream);
}

cudaError_t cudaMemsetAsync(void* block, int value, std::size_t bytes, cudaStream_t stream) {
    if (healthOf(stream) == cudaSuccess) {
        std::memset(block, value, bytes);
    }
    return healthOf(stream);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    const auto& m = memory();
    *total = m.limit > 0 ? m.limit : cospadi::emulation::kTotalBytes;
    *free = *total - std::min(*total, m.held + m.kept);
    return health();
}

cudaError_t cudaGetDevice(int* device) {
    *device = cospadi::emulation::currentDevice;
    return health();
}

cudaError_t cudaSetDevice(int device) {
    cospadi::emulation::currentDevice = device;
    ++cospadi::emulation::deviceChangeCount;
    return health();
}

cudaError_t cudaDeviceSynchronize() { return health(); }

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    *pool = nullptr;
    return health();
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
    const std::uint64_t bytes = attribute == cudaMemPoolAttrReservedMemCurrent ? memory().kept : 0;
    std::memcpy(value, &bytes, sizeof(bytes));
    return health();
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t keep) {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    m.kept = std::min(m.kept, keep);
    ++m.trims;
    return health();
}
