#include "gpu/emulation/thread_scheduler.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace cospadi::emulation {

const Place* place = nullptr;

void ThreadScheduler::runGrid(dim3 grid, dim3 block, const std::function<void()>& body) {
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

void ThreadScheduler::syncBlock() {
    Thread& self = m_threads[m_running];
    self.state = State::AtBarrier;
    self.fibre->pause();
}

const std::uint64_t* ThreadScheduler::exchange(unsigned mask, std::uint64_t bits) {
    const std::size_t self = m_running;
    if (mask != 0xffffffffU || m_threads.size() % kWarp != 0) {
        throw std::logic_error("a warp exchange without the whole warp");
    }
    Warp& warp = m_warps[self / kWarp];
    auto& values = warp.values[m_threads[self].exchanges++ % 2];
    values[self % kWarp] = bits;
    m_threads[self].state = State::InWarp;
    m_threads[self].fibre->pause();
    return values;
}

void ThreadScheduler::runBlock(const Place& origin) {
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
    if (m_order == ThreadOrder::Backwards) {
        std::reverse(turn.begin(), turn.end());
    }
    while (m_done < count) {
        if (m_order == ThreadOrder::Shuffled) {
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
bool ThreadScheduler::release() {
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

void ThreadScheduler::resume(std::size_t t) {
    Thread& thread = m_threads[t];
    if (thread.fibre == nullptr) {
        if (m_idle.empty()) {
            m_fibres.push_back(std::make_unique<Fibre>([this] { workThreadOff(); }));
            m_idle.push_back(m_fibres.back().get());
        }
        thread.fibre = m_idle.back();
        m_idle.pop_back();
    }
    m_running = t;
    emulation::place = &thread.place;
    thread.fibre->resume();
    emulation::place = nullptr;
    if (m_failure) {
        std::rethrow_exception(std::exchange(m_failure, nullptr));
    }
}

// On the fibre of the thread that is running, as it is again wherever the body goes on.
void ThreadScheduler::workThreadOff() {
    try {
        (*m_body)();
    } catch (...) {
        m_failure = std::current_exception();
    }
    Thread& self = m_threads[m_running];
    self.state = State::Done;
    ++m_done;
    m_idle.push_back(self.fibre);
}

}  // namespace cospadi::emulation
