#include "core/tensors/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/temporary_name.h"

namespace cospadi {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kCopiedAtOnce = 1 << 20;

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : m_target(target) {
    do {
        if (m_fd >= 0) {
            close(m_fd);
        }
        m_temporary = temporaryNameOf(target);
        m_fd = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (m_fd < 0) {
            fail("cannot be created");
        }
    } while (!holdTemporary(m_fd, m_temporary));
}

AtomicFile::~AtomicFile() {
    if (m_fd >= 0) {
        close(m_fd);
    }
    if (!m_committed) {
        unlink(m_temporary.c_str());
    }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            fail("cannot be written");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void AtomicFile::commit() {
    if (fsync(m_fd) != 0) {
        fail("cannot be written");
    }
    const int fd = m_fd;
    m_fd = -1;
    if (close(fd) != 0 || rename(m_temporary.c_str(), m_target.c_str()) != 0) {
        fail("cannot be written");
    }
    m_committed = true;
    const fs::path folder = m_target.has_parent_path() ? m_target.parent_path() : fs::path(".");
    const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        static_cast<void>(fsync(directory));
        close(directory);
    }
}

void AtomicFile::fail(const std::string& what) const {
    const int code = errno;
    throw Error(what + ": " + std::strerror(code), m_target.string(),
                code == ENOSPC || code == EDQUOT ? "free some disk space and try again"
                                                 : "check the folder and its permissions");
}

void writeFileAtomically(const fs::path& path, std::span<const std::byte> content) {
    AtomicFile file(path);
    file.write(content);
    file.commit();
}

void writeFileAtomically(const fs::path& path, const std::string& content) {
    writeFileAtomically(path, std::as_bytes(std::span(content)));
}

void linkOrCopy(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    // A hard link to a symbolic link is one too, and may lead nowhere from another folder.
    const fs::path original = fs::canonical(from, failed);
    if (failed) {
        throw Error("cannot be read: " + failed.message(), from.string(),
                    "check the path and its permissions");
    }
    fs::remove(to, failed);
    fs::create_hard_link(original, to, failed);
    if (!failed) {
        return;
    }
    std::ifstream source(original, std::ios::binary);
    AtomicFile copy(to);
    std::vector<char> piece(kCopiedAtOnce);
    while (source.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
           source.gcount() > 0) {
        copy.write(
            std::as_bytes(std::span(piece).first(static_cast<std::size_t>(source.gcount()))));
    }
    if (!source.eof()) {
        throw Error("cannot be read", from.string(), "check the disk and its permissions");
    }
    copy.commit();
}

}  // namespace cospadi
