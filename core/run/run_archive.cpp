#include "core/run/run_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/temporary_folder.h"
#include "core/base/temporary_name.h"
#include "core/store/run_directory.h"
#include "core/store/run_id.h"
#include "core/store/run_lock.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kChunk = 1 << 20;
constexpr std::int64_t kLargestOctal = 077777777777;  // 8 GiB
constexpr std::ptrdiff_t kDeepest = 4;                // ID/evaluations/TASKS/results.json
constexpr const char* kImportFolder = ".import";
constexpr const char* kHint = "give a file that `cospadi runs export` wrote";

using Block = std::array<char, kBlock>;

void putOctal(char* field, std::size_t width, std::int64_t value) {
    const std::string text = fmt::format("{:0{}o}", value, width - 1);
    std::memcpy(field, text.data(), width - 1);
}

unsigned checksum(Block block) {
    std::fill_n(block.begin() + 148, 8, ' ');
    unsigned sum = 0;
    for (const char byte : block) {
        sum += static_cast<unsigned char>(byte);
    }
    return sum;
}

// POSIX ustar; sizes beyond 8 GiB as GNU and others write them, in base 256.
Block headerOf(const std::string& name, std::int64_t size) {
    Block block{};
    // A longer name is cut at a slash; its beginning goes to a field of its own.
    constexpr std::size_t longest = 100;
    constexpr std::size_t longestPrefix = 155;
    const std::size_t cut =
        name.size() <= longest ? std::string::npos : name.find('/', name.size() - longest - 1);
    const std::string rest = cut == std::string::npos ? name : name.substr(cut + 1);
    if (rest.size() > longest || (cut != std::string::npos && cut > longestPrefix)) {
        throw Error("the name is too long for an archive", name, "give the run a shorter folder");
    }
    std::memcpy(block.data(), rest.data(), rest.size());
    if (cut != std::string::npos) {
        std::memcpy(block.data() + 345, name.data(), cut);
    }
    putOctal(block.data() + 100, 8, 0644);
    putOctal(block.data() + 108, 8, 0);
    putOctal(block.data() + 116, 8, 0);
    if (size <= kLargestOctal) {
        putOctal(block.data() + 124, 12, size);
    } else {
        block[124] = static_cast<char>(0x80);
        for (std::size_t i = 0; i < 8; ++i) {
            block[128 + i] = static_cast<char>(size >> (8 * (7 - i)));
        }
    }
    putOctal(block.data() + 136, 12, 0);
    block[156] = '0';
    std::memcpy(block.data() + 257, "ustar\00000", 8);
    putOctal(block.data() + 148, 7, checksum(block));
    block[155] = ' ';
    return block;
}

class TarWriter {
  public:
    explicit TarWriter(const fs::path& out) : m_file(out) {}

    void addFile(const std::string& name, const fs::path& path) {
        std::ifstream stream(path, std::ios::binary);
        const auto size = static_cast<std::int64_t>(fs::file_size(path));
        begin(name, size);
        std::vector<char> chunk(kChunk);
        std::int64_t left = size;
        while (left > 0) {
            const auto part = std::min<std::int64_t>(left, static_cast<std::int64_t>(kChunk));
            if (!stream.read(chunk.data(), part)) {
                throw Error("cannot be read, or has changed meanwhile", path.string(),
                            "try again when nothing writes the run");
            }
            put({chunk.data(), static_cast<std::size_t>(part)});
            left -= part;
        }
        pad();
    }

    void addText(const std::string& name, const std::string& text) {
        begin(name, static_cast<std::int64_t>(text.size()));
        put(text);
        pad();
    }

    std::int64_t commit() {
        put(std::string(2 * kBlock, '\0'));
        m_file.commit();
        return m_size;
    }

  private:
    void begin(const std::string& name, std::int64_t size) {
        const Block header = headerOf(name, size);
        put({header.data(), header.size()});
    }
    void put(std::span<const char> bytes) {
        m_file.write(std::as_bytes(bytes));
        m_size += static_cast<std::int64_t>(bytes.size());
    }
    void pad() {
        const auto over = static_cast<std::size_t>(m_size) % kBlock;
        put(std::string(over == 0 ? 0 : kBlock - over, '\0'));
    }

    AtomicFile m_file;
    std::int64_t m_size = 0;
};

struct Entry {
    std::string name;
    std::int64_t size = 0;
    char kind = '0';
};

class TarReader {
  public:
    explicit TarReader(const fs::path& path)
        : m_path(path), m_stream(path, std::ios::binary), m_left(sizeOf(path)) {
        if (!m_stream) {
            throw Error("cannot be opened", path.string(), "check that it exists");
        }
    }

    // False at the end.
    bool next(Entry& entry) {
        Block block{};
        read(block.data(), kBlock);
        if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) {
            return false;
        }
        if (static_cast<std::int64_t>(checksum(block)) != octal(block, 148, 8)) {
            fail("is damaged, or no tar archive");
        }
        const auto text = [&](std::size_t at, std::size_t width) {
            return std::string(block.data() + at, strnlen(block.data() + at, width));
        };
        const bool ustar = text(257, 5) == "ustar";
        const std::string prefix = ustar ? text(345, 155) : "";
        entry.name = prefix.empty() ? text(0, 100) : fmt::format("{}/{}", prefix, text(0, 100));
        entry.kind = block[156] == '\0' ? '0' : block[156];
        entry.size = (block[124] & 0x80) != 0 ? base256(block) : octal(block, 124, 12);
        if (entry.size < 0 || entry.size > m_left) {
            fail("ends inside " + entry.name);
        }
        return true;
    }

    template <typename Take>
    void content(const Entry& entry, Take&& take) {
        std::vector<char> chunk(kChunk);
        for (std::int64_t left = entry.size; left > 0;) {
            const auto part = std::min<std::int64_t>(left, static_cast<std::int64_t>(kChunk));
            read(chunk.data(), static_cast<std::size_t>(part));
            take(std::span<const char>(chunk.data(), static_cast<std::size_t>(part)));
            left -= part;
        }
        const auto over = static_cast<std::size_t>(entry.size) % kBlock;
        read(chunk.data(), over == 0 ? 0 : kBlock - over);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(what, m_path.string(), kHint);
    }

  private:
    static std::int64_t sizeOf(const fs::path& path) {
        std::error_code failed;
        const auto size = fs::file_size(path, failed);
        return failed ? 0 : static_cast<std::int64_t>(size);
    }
    void read(char* target, std::size_t count) {
        if (!m_stream.read(target, static_cast<std::streamsize>(count))) {
            fail("is truncated, or no tar archive");
        }
        m_left -= static_cast<std::int64_t>(count);
    }
    static std::int64_t octal(const Block& block, std::size_t at, std::size_t width) {
        std::int64_t value = 0;
        for (std::size_t i = at; i < at + width; ++i) {
            if (block[i] >= '0' && block[i] <= '7') {
                value = value * 8 + (block[i] - '0');
            }
        }
        return value;
    }
    static std::int64_t base256(const Block& block) {
        std::int64_t value = 0;
        for (std::size_t i = 129; i < 136; ++i) {
            value = value * 256 + static_cast<unsigned char>(block[i]);
        }
        return value;
    }

    fs::path m_path;
    std::ifstream m_stream;
    std::int64_t m_left;
};

// ID/file, ID/folder/file or ID/evaluations/tasks/file, nothing else: a run has no deeper folders.
void requireSafe(const TarReader& reader, const std::string& name) {
    const fs::path path = name;
    const auto depth = std::distance(path.begin(), path.end());
    const bool climbs = std::any_of(path.begin(), path.end(), [](const fs::path& part) {
        return part == ".." || part == "." || part.empty();
    });
    if (path.is_absolute() || climbs || depth < 2 || depth > kDeepest || name.starts_with('.') ||
        name.find('\\') != std::string::npos) {
        reader.fail(fmt::format("holds \"{}\", which is no file of a run", name));
    }
}

// Held while the run is packed up: nobody begins to write it meanwhile. Empty where we may not
// write the directory; then it is only looked at.
std::optional<RunLock> lockAgainstWriters(const fs::path& directory) {
    std::optional<RunLock> lock;
    bool mayLock = true;
    try {
        lock = RunLock::tryTake(directory);
    } catch (const Error&) {
        mayLock = false;
    }
    if (!lock && (mayLock || isBeingWritten(directory))) {
        throw Error("the run is being written", directory.string(),
                    "wait until it has finished, or cancel it");
    }
    return lock;
}

void addRun(TarWriter& tar, const RunToArchive& run, const ArchiveOptions& options) {
    const std::optional<RunLock> lock = lockAgainstWriters(run.directory);
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(run.directory)) {
        const fs::path relative = fs::relative(entry.path(), run.directory);
        const std::string top = relative.begin()->string();
        const bool wanted = (top != "matrices" || options.matrices) &&
                            (top != "model" || options.model) && top != "run.lock" &&
                            top != kAnnotationsFile;
        if (wanted && entry.is_regular_file()) {
            files.push_back(relative);
        }
    }
    std::sort(files.begin(), files.end());
    tar.addText(fmt::format("{}/{}", run.id, kAnnotationsFile), annotationsText(run.annotations));
    for (const fs::path& file : files) {
        tar.addFile(fmt::format("{}/{}", run.id, file.string()), run.directory / file);
    }
}

// The name that an entry of its own gives the next one, where it is too long for a header: GNU's
// 'L' holds it, POSIX' 'x' has it among "LENGTH KEY=VALUE" lines. Empty where there is none.
std::string longName(TarReader& reader, const Entry& entry) {
    if (entry.size > static_cast<std::int64_t>(kChunk)) {
        reader.fail("holds a name that is too long");
    }
    std::string text;
    reader.content(entry,
                   [&](std::span<const char> bytes) { text.append(bytes.data(), bytes.size()); });
    if (entry.kind == 'L') {
        return text.substr(0, text.find('\0'));
    }
    constexpr std::string_view key = " path=";
    const std::size_t found = text.find(key);
    const std::size_t begin = found + key.size();
    return found == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

void unpack(TarReader& reader, const fs::path& folder) {
    std::string name;  // of the next entry, where its header has no room for it
    for (Entry entry; reader.next(entry);) {
        if (entry.kind == 'L' || entry.kind == 'x') {
            name = longName(reader, entry);
            continue;
        }
        if (!name.empty()) {
            entry.name = std::exchange(name, {});
        }
        if (entry.kind == '5' || entry.kind == 'g') {
            reader.content(entry, [](std::span<const char>) {});
            continue;
        }
        if (entry.kind != '0') {
            reader.fail(fmt::format("holds \"{}\", which is no plain file", entry.name));
        }
        requireSafe(reader, entry.name);
        const fs::path target = folder / entry.name;
        fs::create_directories(target.parent_path());
        AtomicFile file(target);
        reader.content(entry,
                       [&](std::span<const char> bytes) { file.write(std::as_bytes(bytes)); });
        file.commit();
    }
}

RunsFromArchive takeIn(TarReader& reader, const fs::path& archive, const fs::path& runs) {
    // An import that fails leaves nothing behind.
    removeAbandoned(runs, kImportFolder);
    const TemporaryFolder temporary = TemporaryFolder::beside(runs / kImportFolder);
    unpack(reader, temporary.path());
    RunsFromArchive found;
    std::optional<Error> problem;
    for (const auto& entry : fs::directory_iterator(temporary.path())) {
        RunToArchive run;
        run.id = entry.path().filename().string();
        run.directory = runs / run.id;
        requireRunId(run.id, archive.string());             // it names a folder here
        static_cast<void>(readRunDirectory(entry.path()));  // refuses what is no run
        static_cast<void>(readAnnotations(entry.path()));   // or a damaged one
        if (fs::exists(run.directory)) {
            problem.emplace("a run of this name is there already", run.directory.string(),
                            "delete it first with `cospadi runs delete --files`");
            found.refused.emplace_back(problem->what());
            continue;
        }
        found.taken.push_back(std::move(run));
    }
    if (found.taken.empty() && problem) {
        throw Error(*problem);
    }
    if (found.taken.empty()) {
        reader.fail("holds no run");
    }
    std::sort(found.refused.begin(), found.refused.end());
    std::sort(found.taken.begin(), found.taken.end(),
              [](const RunToArchive& a, const RunToArchive& b) { return a.id < b.id; });
    for (const RunToArchive& run : found.taken) {
        fs::rename(temporary.path() / run.id, run.directory);
    }
    return found;
}

}  // namespace

std::int64_t writeRunArchive(const fs::path& out, const std::vector<RunToArchive>& runs,
                             const ArchiveOptions& options) {
    std::error_code ignored;
    if (fs::exists(out, ignored)) {
        throw Error("is there already", out.string(), "give another --out, or delete it first");
    }
    for (const RunToArchive& run : runs) {
        requireRunId(run.id, run.directory.string());
    }
    // Of an export to the same file that was killed.
    removeAbandoned(fs::absolute(out).parent_path(), out.filename().string() + ".tmp.");
    TarWriter tar(out);
    for (const RunToArchive& run : runs) {
        addRun(tar, run, options);
    }
    return tar.commit();
}

RunsFromArchive readRunArchive(const fs::path& archive, const fs::path& runs) {
    TarReader reader(archive);
    try {
        return takeIn(reader, archive, runs);
    } catch (const fs::filesystem_error& error) {  // e.g. a file where another one needs a folder
        throw Error("cannot be unpacked: " + error.code().message(), archive.string(),
                    "check the folder of the runs and the archive");
    }
}

}  // namespace cospadi
