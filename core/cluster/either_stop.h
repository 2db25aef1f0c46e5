// Asked to stop where either of two is: who waits for a process, and whoever took its lease over.
#pragma once

#include <stop_token>

namespace cospadi {

class EitherStop {
  public:
    EitherStop(const std::stop_token& first, const std::stop_token& second)
        : m_first(first, Ask{m_source}), m_second(second, Ask{m_source}) {}
    std::stop_token token() const { return m_source.get_token(); }

  private:
    struct Ask {
        std::stop_source source;
        void operator()() { source.request_stop(); }
    };
    std::stop_source m_source;
    std::stop_callback<Ask> m_first;
    std::stop_callback<Ask> m_second;
};

}  // namespace cospadi
