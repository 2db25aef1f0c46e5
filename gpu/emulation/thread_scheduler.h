// A grid on the host: its blocks one after the other, the threads of a block as fibres that take
// turns in the order asked for. A thread that never waits leaves its fibre to the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "gpu/emulation/emulated_cuda.h"
#include "gpu/emulation/fibre.h"

namespace cospadi::emulation {

class ThreadScheduler {
  public:
    explicit ThreadScheduler(ThreadOrder order) : m_order(order) {}

    void setOrder(ThreadOrder order) { m_order = order; }
    ThreadOrder order() const { return m_order; }

    // Calls `body` once for every thread, with emulation::place set to its own. Throws what the
    // body threw, or std::logic_error where threads wait for each other in vain; after that the
    // scheduler, whose fibres stopped half-way, cannot be used again.
    void runGrid(dim3 grid, dim3 block, const std::function<void()>& body);

    // Of the thread that is running, as syncBlock() and exchangeInWarp().
    void syncBlock();
    const std::uint64_t* exchange(unsigned mask, std::uint64_t bits);

  private:
    static constexpr unsigned kWarp = 32;

    enum class State { Ready, AtBarrier, InWarp, Done };
    struct Thread {
        State state = State::Ready;
        Place place;
        Fibre* fibre = nullptr;
        unsigned exchanges = 0;
    };
    struct Warp {
        std::uint64_t values[2][kWarp] = {};  // two, so that one exchange needs one barrier
    };

    void runBlock(const Place& origin);
    bool release();
    void resume(std::size_t t);
    void workThreadOff();

    const std::function<void()>* m_body = nullptr;
    std::vector<Thread> m_threads;
    std::vector<Warp> m_warps;
    std::vector<std::unique_ptr<Fibre>> m_fibres;
    std::vector<Fibre*> m_idle;
    std::exception_ptr m_failure;
    std::size_t m_running = 0;
    std::size_t m_done = 0;
    ThreadOrder m_order;
    std::mt19937 m_random{1};
};

}  // namespace cospadi::emulation
