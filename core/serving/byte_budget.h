// Memory that many threads share: who needs some of it for a while waits until it is free.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace cospadi {

class ByteBudget {
  public:
    explicit ByteBudget(std::size_t bytes) : m_whole(bytes), m_free(bytes) {}

    // Given back at its end.
    class Share {
      public:
        Share(ByteBudget& budget, std::size_t bytes) : m_budget(budget), m_bytes(bytes) {}
        ~Share() { m_budget.giveBack(m_bytes); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

      private:
        ByteBudget& m_budget;
        std::size_t m_bytes;
    };

    // Waits for so many bytes, at most for all there are: who asks for more has them alone. A
    // thread that holds a share must not ask for another one.
    Share take(std::size_t bytes) {
        bytes = std::min(bytes, m_whole);
        std::unique_lock lock(m_mutex);
        m_returned.wait(lock, [&] { return m_free >= bytes; });
        m_free -= bytes;
        return {*this, bytes};
    }

  private:
    void giveBack(std::size_t bytes) {
        {
            const std::scoped_lock lock(m_mutex);
            m_free += bytes;
        }
        m_returned.notify_all();
    }

    const std::size_t m_whole;
    std::size_t m_free;
    std::mutex m_mutex;
    std::condition_variable m_returned;
};

}  // namespace cospadi
