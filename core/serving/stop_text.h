// Finds stop strings in text that comes in pieces, also where one is split between pieces. The one
// that is complete first counts (the longest of those that end at the same character), so that the
// result does not depend on how the text was cut.
#pragma once

#include <string>
#include <vector>

namespace cospadi {

class StopText {
  public:
    // Empty stop strings are ignored.
    explicit StopText(std::vector<std::string> stops);

    // The text that is now certain: nothing of it can belong to a stop string. Once found() is
    // true, everything from that stop string on is dropped.
    std::string add(const std::string& piece);
    // What was held back because a stop string might have begun there.
    std::string finish();
    bool found() const { return m_found; }

  private:
    std::vector<std::string> m_stops;
    std::string m_held;
    bool m_found = false;
};

}  // namespace cospadi
