#include "core/store/run_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr int kDeepestJson = 64;  // of JSON; a specification has three levels
constexpr std::size_t kLargestJson = 256
                                     << 20;     // bytes; results of ten thousand matrices have 5 MB
constexpr std::size_t kLargestText = 1 << 30;   // bytes; events of such a run have some 100 MB
constexpr std::size_t kLongestEvent = 1 << 20;  // bytes of a line

// Closes the file when it goes.
class Descriptor {
  public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() {
        if (m_number >= 0) {
            ::close(m_number);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return m_number; }

  private:
    int m_number;
};

[[noreturn]] void failReading(const std::filesystem::path& path, const std::string& what,
                              const std::string& hint) {
    throw Error(what, path.string(), hint);
}

std::string readText(const std::filesystem::path& path, std::size_t largest) {
    // Without waiting: to open a pipe would.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        failReading(path, std::string("the file cannot be read: ") + std::strerror(errno),
                    "check that it exists and is readable");
    }
    if (!S_ISREG(status.st_mode)) {
        failReading(path, "the file cannot be read: it is not a regular file", "remove it");
    }
    std::string text;
    // In large pieces, up to the end and not to a size: the file may still grow.
    constexpr std::size_t piece = 1 << 18;
    for (;;) {
        const std::size_t had = text.size();
        if (had > largest) {
            failReading(path, "is over " + std::to_string(largest >> 20U) + " MiB",
                        "such a file does not belong to a run: remove it");
        }
        text.resize(had + piece);
        const ssize_t count = ::read(file.number(), text.data() + had, piece);
        if (count < 0 && errno != EINTR) {
            failReading(path, std::string("the file cannot be read: ") + std::strerror(errno),
                        "check the disk");
        }
        text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) {
            return text;
        }
    }
}

// The length of a non-finite number as Python writes it that begins at `position`; 0 where none
// does.
std::size_t nonFiniteLength(const std::string& text, std::size_t position) {
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        if (text.compare(position, word.size(), word) == 0) {
            return word.size();
        }
    }
    return 0;
}

std::string withNullForNonFinite(const std::string& text) {
    std::string clean;
    clean.reserve(text.size());
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t length = inString ? 0 : nonFiniteLength(text, i);
        if (length > 0) {
            clean += "null";
            i += length - 1;
            continue;
        }
        if (inString && text[i] == '\\' && i + 1 < text.size()) {
            clean += text[i++];
        } else if (text[i] == '"') {
            inString = !inString;
        }
        clean += text[i];
    }
    return clean;
}

bool mayHoldNonFinite(const std::string& text) {
    return text.find("NaN") != std::string::npos || text.find("Infinity") != std::string::npos;
}

}  // namespace

std::string readTextFile(const std::filesystem::path& path) { return readText(path, kLargestText); }

json parseTolerantJson(const std::string& text, const std::filesystem::path& where,
                       const std::string& hint) {
    if (mayHoldNonFinite(text)) {
        return parseBoundedJson(withNullForNonFinite(text), kDeepestJson, where.string(), hint);
    }
    return parseBoundedJson(text, kDeepestJson, where.string(), hint);
}

json readRunJson(const std::filesystem::path& path, const std::string& hint) {
    json parsed = parseTolerantJson(readText(path, kLargestJson), path, hint);
    if (!parsed.is_object()) {
        throw Error("not a JSON object", path.string(), hint);
    }
    return parsed;
}

json eventOfLine(std::string_view line) {
    if (line.size() > kLongestEvent) {
        return nullptr;
    }
    try {
        json event = parseBoundedJson(line, kDeepestJson, "", "");
        return event.is_object() ? event : json();
    } catch (const Error&) {
        return nullptr;
    }
}

}  // namespace cospadi
