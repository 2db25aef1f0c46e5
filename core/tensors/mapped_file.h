// A whole file mapped read-only. The mapping lives as long as the last shared_ptr to it, so tensors
// may point into it without a copy. Thread-safe: it never changes after open().
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace cospadi {

class MappedFile {
  public:
    // Throws cospadi::Error where the file is missing, unreadable, empty or not a regular file.
    static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    // Bytes of a mapped file that are not read again soon: the system may keep their pages, and
    // this process counts them no more. Only whole pages; what is not mapped from a file is no
    // matter.
    static void leave(std::span<const std::byte> part);

    std::span<const std::byte> bytes() const { return {m_data, m_size}; }
    const std::filesystem::path& path() const { return m_path; }

  private:
    MappedFile(std::filesystem::path path, const std::byte* data, std::size_t size);

    std::filesystem::path m_path;
    const std::byte* m_data;
    std::size_t m_size;
};

}  // namespace cospadi
