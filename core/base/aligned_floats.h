// Memory for floats that begins at a cache line, which no load of 64 bytes then straddles. Not
// initialised.
#pragma once

#include <cstdint>
#include <new>

namespace cospadi {

class AlignedFloats {
  public:
    explicit AlignedFloats(std::int64_t count)
        : m_data(static_cast<float*>(
              ::operator new(static_cast<std::size_t>(count) * sizeof(float), kLine))) {}
    ~AlignedFloats() { ::operator delete(m_data, kLine); }
    AlignedFloats(const AlignedFloats&) = delete;
    AlignedFloats& operator=(const AlignedFloats&) = delete;
    float* data() const { return m_data; }

  private:
    static constexpr std::align_val_t kLine{64};
    float* m_data;
};

}  // namespace cospadi
