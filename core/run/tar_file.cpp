#include "core/run/tar_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kChunk = 1 << 20;
constexpr std::int64_t kLargestOctal = 077777777777;  // 8 GiB

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

std::int64_t octal(const Block& block, std::size_t at, std::size_t width) {
    std::int64_t value = 0;
    for (std::size_t i = at; i < at + width; ++i) {
        if (block[i] >= '0' && block[i] <= '7') {
            value = value * 8 + (block[i] - '0');
        }
    }
    return value;
}

std::int64_t base256(const Block& block) {
    std::int64_t value = 0;
    for (std::size_t i = 129; i < 136; ++i) {
        value = value * 256 + static_cast<unsigned char>(block[i]);
    }
    return value;
}

std::int64_t sizeOf(const fs::path& path) {
    std::error_code failed;
    const auto size = fs::file_size(path, failed);
    return failed ? 0 : static_cast<std::int64_t>(size);
}

TarKind kindOf(char type) {
    switch (type) {
        case '0':
            return TarKind::File;
        case '5':
            return TarKind::Folder;
        case 'g':
            return TarKind::Comment;
        default:
            return TarKind::Other;
    }
}

}  // namespace

void TarWriter::addFile(const std::string& name, const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    const auto size = static_cast<std::int64_t>(fs::file_size(path));
    begin(name, size);
    std::vector<char> chunk(kChunk);
    std::int64_t left = size;
    while (left > 0) {
        const auto part = std::min<std::int64_t>(left, static_cast<std::int64_t>(kChunk));
        if (!stream.read(chunk.data(), part)) {
            throw Error("cannot be read, or has changed in the meantime", path.string(),
                        "try again when the run is not being written");
        }
        put({chunk.data(), static_cast<std::size_t>(part)});
        left -= part;
    }
    pad();
}

void TarWriter::addText(const std::string& name, const std::string& text) {
    begin(name, static_cast<std::int64_t>(text.size()));
    put(text);
    pad();
}

std::int64_t TarWriter::commit() {
    put(std::string(2 * kBlock, '\0'));
    m_file.commit();
    return m_size;
}

void TarWriter::begin(const std::string& name, std::int64_t size) {
    const Block header = headerOf(name, size);
    put({header.data(), header.size()});
}

void TarWriter::put(std::span<const char> bytes) {
    m_file.write(std::as_bytes(bytes));
    m_size += static_cast<std::int64_t>(bytes.size());
}

void TarWriter::pad() {
    const auto over = static_cast<std::size_t>(m_size) % kBlock;
    put(std::string(over == 0 ? 0 : kBlock - over, '\0'));
}

TarReader::TarReader(const fs::path& path, std::string hint)
    : m_path(path), m_hint(std::move(hint)), m_stream(openGzip(path)), m_left(sizeOf(path)) {
    if (!m_stream) {
        throw Error("cannot be opened", path.string(), "check that it exists");
    }
    gzbuffer(m_stream.get(), kChunk);
    if (gzdirect(m_stream.get()) == 0) {
        m_left = std::numeric_limits<std::int64_t>::max();  // compressed: it does not say
    }
}

bool TarReader::next(TarEntry& entry) {
    std::string name;  // of the entry, where its header has no room for it
    for (char type = '0'; readHeader(entry, type);) {
        if (type == 'L' || type == 'x') {
            name = longName(entry, type);
            continue;
        }
        if (!name.empty()) {
            entry.name = std::exchange(name, {});
        }
        entry.kind = kindOf(type);
        return true;
    }
    return false;
}

// False at the end.
bool TarReader::readHeader(TarEntry& entry, char& type) {
    Block block{};
    read(block.data(), kBlock);
    if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) {
        return false;
    }
    if (static_cast<std::int64_t>(checksum(block)) != octal(block, 148, 8)) {
        fail("is damaged or not a tar archive");
    }
    const auto text = [&](std::size_t at, std::size_t width) {
        return std::string(block.data() + at, strnlen(block.data() + at, width));
    };
    const bool ustar = text(257, 5) == "ustar";
    const std::string prefix = ustar ? text(345, 155) : "";
    entry.name = prefix.empty() ? text(0, 100) : fmt::format("{}/{}", prefix, text(0, 100));
    type = block[156] == '\0' ? '0' : block[156];
    entry.size = (block[124] & 0x80) != 0 ? base256(block) : octal(block, 124, 12);
    if (entry.size < 0 || entry.size > m_left) {
        fail("ends inside " + entry.name);
    }
    return true;
}

void TarReader::content(const TarEntry& entry, const Take& take) {
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

// The name that an entry of its own gives the next one, where it is too long for a header: GNU's
// 'L' holds it, POSIX' 'x' has it among "LENGTH KEY=VALUE" lines. Empty where there is none.
std::string TarReader::longName(const TarEntry& entry, char type) {
    if (entry.size > static_cast<std::int64_t>(kChunk)) {
        fail("contains a name that is too long");
    }
    std::string text;
    content(entry, [&](std::span<const char> bytes) { text.append(bytes.data(), bytes.size()); });
    if (type == 'L') {
        return text.substr(0, text.find('\0'));
    }
    constexpr std::string_view key = " path=";
    const std::size_t found = text.find(key);
    const std::size_t begin = found + key.size();
    return found == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

void TarReader::fail(const std::string& what) const { throw Error(what, m_path.string(), m_hint); }

void TarReader::read(char* target, std::size_t count) {
    if (gzread(m_stream.get(), target, static_cast<unsigned>(count)) != static_cast<int>(count)) {
        fail("is truncated or not a tar archive");
    }
    m_left -= static_cast<std::int64_t>(count);
}

}  // namespace cospadi
