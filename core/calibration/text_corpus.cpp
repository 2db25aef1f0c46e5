#include "core/calibration/text_corpus.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/calibration/gzip_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kDeepestDocument = 64;
constexpr const char* kBlanks = " \t\r\n";

bool isNamedGzip(const fs::path& path) { return path.extension() == ".gz"; }

bool isNamedJsonLines(const fs::path& path) {
    return (isNamedGzip(path) ? path.stem() : path).extension() == ".jsonl";
}

// What no text in UTF-8 begins with.
bool beginsAsGzip(const std::string& bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string readBytes(const fs::path& path) {
    if (isNamedGzip(path)) {
        return readGzipFile(path);
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream || fs::is_directory(path)) {
        throw Error("cannot be opened", path.string(), "give a .jsonl or .txt file with text");
    }
    std::ostringstream content;
    content << stream.rdbuf();
    std::string bytes = std::move(content).str();
    if (beginsAsGzip(bytes)) {
        return readGzipFile(path);
    }
    return bytes;
}

std::string readFile(const fs::path& path) {
    std::string text = readBytes(path);
    if (text.empty()) {
        throw Error("is empty", path.string(), "give a .jsonl or .txt file with text");
    }
    return text;
}

bool isBlank(const std::string& line) {
    return line.find_first_not_of(kBlanks) == std::string::npos;
}

// Null where there is none.
const Json* textFieldOf(const Json& line) {
    for (const char* field : {"text", "page"}) {
        if (line.is_object() && line.contains(field) && line[field].is_string()) {
            return &line[field];
        }
    }
    return nullptr;
}

std::string documentOf(const std::string& line, const std::string& where) {
    if (isNestedDeeper(line, kDeepestDocument)) {
        throw Error("is nested too deeply", where, "one JSON object per line is expected");
    }
    Json json;
    try {
        json = Json::parse(line);
    } catch (const Json::exception&) {
        throw Error("is not valid JSON", where, "one JSON object per line is expected");
    }
    const Json* text = textFieldOf(json);
    if (text == nullptr) {
        throw Error("has no string field \"text\" or \"page\"", where,
                    "one JSON object with the text per line is expected");
    }
    return text->get<std::string>();
}

// By the first line that is not blank.
bool beginsWithDocument(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string::npos) {
        return false;
    }
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    return !isNestedDeeper(line, kDeepestDocument) &&
           textFieldOf(Json::parse(line, nullptr, false)) != nullptr;
}

// Results are kept by the hash of a text: the same bytes are read alike, whatever they are called.
// The name only makes an error of a first line that is no document.
bool isJsonLines(const fs::path& path, const std::string& text) {
    return isNamedJsonLines(path) || beginsWithDocument(text);
}

std::vector<std::string> jsonDocuments(const fs::path& path, const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> documents;
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (!isBlank(line)) {
            documents.push_back(
                documentOf(line, path.string() + ", line " + std::to_string(number)));
        }
    }
    if (documents.empty()) {
        throw Error("contains no documents", path.string(), "one JSON object per line is expected");
    }
    return documents;
}

std::vector<std::string> plainDocuments(const std::string& text) {
    std::vector<std::string> documents(1);
    bool wasBlank = false;  // the last line taken
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find('\n', begin);
        end = end == std::string::npos ? text.size() : end + 1;
        const std::string line = text.substr(begin, end - begin);
        if (wasBlank && !isBlank(line)) {
            documents.emplace_back();
        }
        documents.back() += line;
        wasBlank = isBlank(line);
        begin = end;
    }
    return documents;
}

}  // namespace

std::vector<std::string> readDocuments(const fs::path& path) {
    const std::string text = readFile(path);
    return isJsonLines(path, text) ? jsonDocuments(path, text) : plainDocuments(text);
}

std::string readWholeText(const fs::path& path) {
    std::string text = readFile(path);
    if (!isJsonLines(path, text)) {
        return text;
    }
    std::string whole;
    for (const std::string& document : jsonDocuments(path, text)) {
        whole += document;
    }
    return whole;
}

}  // namespace cospadi
