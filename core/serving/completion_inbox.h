// Events of completions on their way from the scheduler's thread to the one that answers a client.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "core/serving/completion.h"

namespace cospadi {

class CompletionInbox {
  public:
    void put(CompletionEvent event) {
        {
            const std::scoped_lock lock(m_mutex);
            m_events.push_back(std::move(event));
        }
        m_arrived.notify_one();
    }

    // nullopt where none comes in time.
    std::optional<CompletionEvent> take(std::chrono::milliseconds patience) {
        std::unique_lock lock(m_mutex);
        if (!m_arrived.wait_for(lock, patience, [this] { return !m_events.empty(); })) {
            return std::nullopt;
        }
        CompletionEvent event = std::move(m_events.front());
        m_events.pop_front();
        return event;
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_arrived;
    std::deque<CompletionEvent> m_events;
};

}  // namespace cospadi
