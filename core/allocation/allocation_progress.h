// How far an allocation is, counted by the threads that work on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "core/base/progress.h"
#include "core/base/stopwatch.h"

namespace cospadi {

class AllocationProgress {
  public:
    AllocationProgress(std::int64_t total, const ProgressCallback& listener)
        : m_listener(listener), m_total(total) {}

    // From any thread; the listener is called by one at a time.
    void advance(std::int64_t steps) {
        const std::scoped_lock lock(m_mutex);
        m_done = std::min(m_done + steps, m_total);
        if (m_listener) {
            const double seconds = m_clock.seconds();
            m_listener(
                {"allocation", m_done, m_total, seconds,
                 seconds / static_cast<double>(m_done) * static_cast<double>(m_total - m_done)});
        }
    }

  private:
    const ProgressCallback& m_listener;
    const Stopwatch m_clock;
    std::mutex m_mutex;
    std::int64_t m_done = 0;
    std::int64_t m_total;
};

}  // namespace cospadi
