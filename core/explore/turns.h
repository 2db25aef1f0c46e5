// Who may work next, of threads that share so many places.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

namespace cospadi {

// So many may work at a time; whoever waits with the lowest rank is next.
class Turns {
  public:
    explicit Turns(int places) : m_free(places) {}

    void take(int rank) {
        std::unique_lock lock(m_mutex);
        m_waiting.insert(rank);
        m_changed.wait(lock, [&] { return m_open || (m_free > 0 && *m_waiting.begin() == rank); });
        m_waiting.erase(rank);
        --m_free;
        m_changed.notify_all();
    }

    void give() {
        const std::scoped_lock lock(m_mutex);
        ++m_free;
        m_changed.notify_all();
    }

    // Nobody waits any more: all are to end.
    void open() {
        const std::scoped_lock lock(m_mutex);
        m_open = true;
        m_changed.notify_all();
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::set<int> m_waiting;
    int m_free;
    bool m_open = false;
};

}  // namespace cospadi
