#include "core/tensors/safetensors_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// A temporary file beside the target; removed unless committed.
class AtomicFile {
  public:
    explicit AtomicFile(const fs::path& target) : m_target(target) {
        static std::atomic<int> counter{0};
        m_temporary = target;
        m_temporary +=
            ".tmp." + std::to_string(getpid()) + "." + std::to_string(counter.fetch_add(1));
        m_fd = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (m_fd < 0) {
            fail("cannot be created");
        }
    }
    ~AtomicFile() {
        if (m_fd >= 0) {
            close(m_fd);
        }
        if (!m_committed) {
            unlink(m_temporary.c_str());
        }
    }
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes) {
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

    void commit() {
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

  private:
    [[noreturn]] void fail(const std::string& what) const {
        const int code = errno;
        throw Error(what + ": " + std::strerror(code), m_target.string(),
                    code == ENOSPC || code == EDQUOT ? "free some disk space and try again"
                                                     : "check the folder and its permissions");
    }

    fs::path m_target;
    fs::path m_temporary;
    int m_fd = -1;
    bool m_committed = false;
};

void check(const fs::path& path, const std::vector<TensorToWrite>& tensors) {
    std::set<std::string> names;
    for (const TensorToWrite& tensor : tensors) {
        const std::string where = path.string() + ", tensor " + tensor.name;
        std::int64_t bytes = blockBytes(tensor.dtype);
        for (const std::int64_t extent : tensor.shape) {
            bytes = checkedProduct(bytes, extent, where);
        }
        if (blockElements(tensor.dtype) != 1 || tensor.name == "__metadata__" ||
            static_cast<std::size_t>(bytes) != tensor.bytes.size() ||
            !names.insert(tensor.name).second) {
            throw Error("cannot be stored: its name, type or size is wrong", where,
                        "this is a bug; please report it");
        }
    }
}

}  // namespace

std::int64_t writeSafetensors(const fs::path& path, const std::vector<TensorToWrite>& tensors,
                              const std::map<std::string, std::string>& metadata) {
    check(path, tensors);
    std::vector<const TensorToWrite*> order;
    for (const TensorToWrite& tensor : tensors) {
        order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(), [](const TensorToWrite* a, const TensorToWrite* b) {
        const std::int64_t sizeA = blockBytes(a->dtype);
        const std::int64_t sizeB = blockBytes(b->dtype);
        return sizeA != sizeB ? sizeA > sizeB : a->name < b->name;
    });

    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        json["__metadata__"] = metadata;
    }
    std::size_t offset = 0;
    for (const TensorToWrite* tensor : order) {
        json[tensor->name] = {{"dtype", dtypeName(tensor->dtype)},
                              {"shape", tensor->shape},
                              {"data_offsets", {offset, offset + tensor->bytes.size()}}};
        offset += tensor->bytes.size();
    }
    std::string header = json.dump();
    header.append((8 - header.size() % 8) % 8, ' ');
    const std::uint64_t length = header.size();

    AtomicFile file(path);
    file.write(std::as_bytes(std::span(&length, 1)));
    file.write(std::as_bytes(std::span(header)));
    for (const TensorToWrite* tensor : order) {
        file.write(tensor->bytes);
    }
    file.commit();
    return static_cast<std::int64_t>(sizeof length + header.size() + offset);
}

void writeFileAtomically(const fs::path& path, std::span<const std::byte> content) {
    AtomicFile file(path);
    file.write(content);
    file.commit();
}

void writeFileAtomically(const fs::path& path, const std::string& content) {
    writeFileAtomically(path, std::as_bytes(std::span(content)));
}

}  // namespace cospadi
