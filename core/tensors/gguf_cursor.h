// Reads through the head of a GGUF file, value by value, and never past its end. Every violation
// is a cospadi::Error naming the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/tensors/gguf.h"

namespace cospadi {

inline constexpr const char* kDamagedGguf =
    "the file is damaged or not a GGUF file; fetch it again";

class GgufCursor {
  public:
    // bytes: of the file `where`; strings that are read point into them.
    GgufCursor(std::span<const std::byte> bytes, std::string where)
        : m_bytes(bytes), m_where(std::move(where)) {}

    [[noreturn]] void fail(const std::string& what) const;

    std::uint64_t remaining() const { return m_bytes.size() - m_position; }
    std::size_t position() const { return m_position; }

    template <typename T>
    T read() {
        if (remaining() < sizeof(T)) {
            fail("ends inside its header");
        }
        T value;
        std::memcpy(&value, m_bytes.data() + m_position, sizeof value);
        m_position += sizeof value;
        return value;
    }
    std::string_view readString();

    // A metadata value behind its type.
    GgufValue readValue();

  private:
    std::int64_t readInteger(std::uint32_t type);
    double readNumber(std::uint32_t type);
    GgufValue readArray();

    std::span<const std::byte> m_bytes;
    std::string m_where;
    std::size_t m_position = 0;
};

}  // namespace cospadi
