#include "core/tensors/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace cospadi {

namespace {

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) {
            close(fd);
        }
    }
};

}  // namespace

void MappedFile::leave(std::span<const std::byte> part) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t last = (begin + part.size()) / page * page;
    if (first < last) {
        static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED));
    }
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) {
        throw Error(std::string("cannot be opened: ") + std::strerror(errno), path.string(),
                    "check the path and its permissions");
    }
    struct stat status {};
    if (fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        throw Error("is not a regular file", path.string(), "give the path of a file");
    }
    if (status.st_size <= 0) {
        throw Error("is empty", path.string(),
                    "the download or copy was interrupted; fetch it again");
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (data == MAP_FAILED) {
        throw Error(std::string("cannot be mapped: ") + std::strerror(errno), path.string(),
                    "check free memory and the file system");
    }
    return std::shared_ptr<const MappedFile>(
        new MappedFile(path, static_cast<const std::byte*>(data), size));
}

MappedFile::MappedFile(std::filesystem::path path, const std::byte* data, std::size_t size)
    : m_path(std::move(path)), m_data(data), m_size(size) {}

MappedFile::~MappedFile() { munmap(const_cast<std::byte*>(m_data), m_size); }

}  // namespace cospadi
