// What tokenising one text may cost. A tokenizer.json comes from elsewhere: forty steps that each
// double the text, or a pattern that tries every way through it, would else take memory and time
// without end. Both bounds lie far above what published tokenizers need.
//
// A value for one text on one thread.
#pragma once

#include <chrono>
#include <string>

namespace cospadi {

class TextBudget {
  public:
    using Clock = std::chrono::steady_clock;

    // bytes: of the text as it comes.
    explicit TextBudget(std::size_t bytes)
        : m_mostBytes(kGrowth * bytes + 4096),
          m_end(Clock::now() + std::chrono::seconds(5) + std::chrono::microseconds(2) * bytes) {}

    // Throw Error naming `step`, which says what is at work and of which file.
    void requireBytes(std::size_t bytes, const std::string& step) const {
        if (bytes > m_mostBytes) {
            failBytes(step);
        }
    }
    void requireTime(const std::string& step, Clock::time_point now = Clock::now()) const {
        if (now > m_end) {
            failTime(step);
        }
    }

  private:
    // One space can become a mark of three bytes; NFKC makes up to 33 bytes of three.
    static constexpr std::size_t kGrowth = 32;

    [[noreturn]] void failBytes(const std::string& step) const;
    [[noreturn]] static void failTime(const std::string& step);

    std::size_t m_mostBytes;
    Clock::time_point m_end;
};

}  // namespace cospadi
