// Plain tar files of plain files: written as POSIX ustar, sizes beyond 8 GiB as GNU and others
// write them; read with the long names of GNU and of POSIX' extended headers, and where gzip has
// compressed them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "core/calibration/gzip_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

// The file appears under its name when commit() is called.
class TarWriter {
  public:
    explicit TarWriter(const std::filesystem::path& out) : m_file(out) {}

    // Throw Error for a name that is too long, and for a file that changes meanwhile.
    void addFile(const std::string& name, const std::filesystem::path& path);
    void addText(const std::string& name, const std::string& text);

    std::int64_t commit();  // returns the bytes of the archive

  private:
    void begin(const std::string& name, std::int64_t size);
    void put(std::span<const char> bytes);
    void pad();

    AtomicFile m_file;
    std::int64_t m_size = 0;
};

enum class TarKind { File, Folder, Comment, Other };

struct TarEntry {
    std::string name;
    std::int64_t size = 0;
    TarKind kind = TarKind::File;
};

class TarReader {
  public:
    using Take = std::function<void(std::span<const char> bytes)>;

    // hint: of every Error that is thrown for what is no such archive, or a damaged one.
    TarReader(const std::filesystem::path& path, std::string hint);

    // The next entry under its whole name; false at the end. The content has to be taken before
    // the one after.
    bool next(TarEntry& entry);
    // In pieces of up to 1 MiB.
    void content(const TarEntry& entry, const Take& take);

    // Throws the Error of this archive.
    [[noreturn]] void fail(const std::string& what) const;

  private:
    bool readHeader(TarEntry& entry, char& type);
    std::string longName(const TarEntry& entry, char type);
    void read(char* target, std::size_t count);

    std::filesystem::path m_path;
    std::string m_hint;
    OpenGzip m_stream;
    std::int64_t m_left;  // at most
};

}  // namespace cospadi
