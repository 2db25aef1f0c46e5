// SHA-256 (FIPS 180-4) of files and strings, for cache keys and checks of downloads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace cospadi {

class Sha256 {
  public:
    Sha256();
    void update(std::span<const std::byte> bytes);
    void update(const std::string& text);
    // 64 lower-case hexadecimal digits; the object is spent afterwards.
    std::string finish();

  private:
    void compress(const std::byte* block);

    std::array<std::uint32_t, 8> m_state;
    std::array<std::byte, 64> m_buffer;
    std::size_t m_buffered = 0;
    std::uint64_t m_length = 0;
};

std::string sha256OfString(const std::string& text);
// Throws cospadi::Error where the file cannot be read.
std::string sha256OfFile(const std::filesystem::path& path);

}  // namespace cospadi
