// What linear layers take in the file that the model came in, beside what they would take as bf16.
// A model that came quantised is smaller than its bf16 weights, and a compressed one may then be
// larger than its source: every table of bytes says so.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace cospadi {

class SourceBytes {
  public:
    // type as the file spells it, e.g. "Q4_1". One layer of which nothing is known (bytes 0: of a
    // run before 0.2, or not stored densely) makes the sum unknown.
    void add(const std::string& type, std::int64_t bytes);

    bool known() const { return !m_byType.empty() && !m_unknown; }
    std::int64_t bytes() const;  // 0 where unknown
    // "Q4_1", or "Q4_K, Q6_K", what takes most first; empty where unknown.
    std::string types() const;

  private:
    std::map<std::string, std::int64_t> m_byType;
    bool m_unknown = false;
};

// The warning where `bytes` of compressed layers are more than their source's; else empty, also
// where the source is unknown (sourceBytes 0).
std::string largerThanSource(std::int64_t bytes, const std::string& sourceTypes,
                             std::int64_t sourceBytes);

}  // namespace cospadi
