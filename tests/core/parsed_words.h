// The words of a program as its command line reads them, for tests of that.
#pragma once

#include <algorithm>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "app/command_line/command_line.h"

namespace cospadi::cli {

constexpr int kRefused = 7;

struct Parsed {
    std::optional<int> ended;  // kRefused where `wrong` says why
    WrongWords wrong;
};

inline Parsed parsed(CommandLine& line, std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    Parsed outcome;
    outcome.ended =
        line.parse(static_cast<int>(words.size()), words.data(), [&](const WrongWords& wrong) {
            outcome.wrong = wrong;
            return kRefused;
        });
    return outcome;
}

// What goes to one of the standard streams while it lives.
class Captured {
  public:
    explicit Captured(std::ostream& stream) : m_stream(stream), m_before(stream.rdbuf()) {
        stream.rdbuf(m_text.rdbuf());
    }
    ~Captured() { m_stream.rdbuf(m_before); }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    std::string text() const { return m_text.str(); }

  private:
    std::ostringstream m_text;
    std::ostream& m_stream;
    std::streambuf* m_before;
};

inline bool has(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace cospadi::cli
