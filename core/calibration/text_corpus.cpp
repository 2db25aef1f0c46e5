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

bool isCompressed(const fs::path& path) { return path.extension() == ".gz"; }

bool isJsonLines(const fs::path& path) {
    return (isCompressed(path) ? path.stem() : path).extension() == ".jsonl";
}

std::string readBytes(const fs::path& path) {
    if (isCompressed(path)) {
        return readGzipFile(path);
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream || fs::is_directory(path)) {
        throw Error("cannot be opened", path.string(), "give a .jsonl or .txt file with text");
    }
    std::ostringstream content;
    content << stream.rdbuf();
    return std::move(content).str();
}

std::string readFile(const fs::path& path) {
    std::string text = readBytes(path);
    if (text.empty()) {
        throw Error("is empty", path.string(), "give a .jsonl or .txt file with text");
    }
    return text;
}

std::string documentOf(const std::string& line, const std::string& where) {
    if (isNestedDeeper(line, 64)) {
        throw Error("is nested too deeply", where, "one JSON object per line is expected");
    }
    Json json;
    try {
        json = Json::parse(line);
    } catch (const Json::exception&) {
        throw Error("is not valid JSON", where, "one JSON object per line is expected");
    }
    for (const char* field : {"text", "page"}) {
        if (json.is_object() && json.contains(field) && json[field].is_string()) {
            return json[field].get<std::string>();
        }
    }
    throw Error("has no string field \"text\" or \"page\"", where,
                "one JSON object with the text per line is expected");
}

std::vector<std::string> readJsonLines(const fs::path& path) {
    std::istringstream stream(readFile(path));
    std::vector<std::string> documents;
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
            documents.push_back(
                documentOf(line, path.string() + ", line " + std::to_string(number)));
        }
    }
    if (documents.empty()) {
        throw Error("contains no documents", path.string(), "one JSON object per line is expected");
    }
    return documents;
}

}  // namespace

std::vector<std::string> readDocuments(const fs::path& path) {
    if (isJsonLines(path)) {
        return readJsonLines(path);
    }
    const std::string text = readFile(path);
    std::vector<std::string> documents(1);
    bool blank = false;  // the last line taken was blank
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find('\n', begin);
        end = end == std::string::npos ? text.size() : end + 1;
        const std::string line = text.substr(begin, end - begin);
        const bool isBlank = line.find_first_not_of(" \t\r\n") == std::string::npos;
        if (blank && !isBlank) {
            documents.emplace_back();
        }
        documents.back() += line;
        blank = isBlank;
        begin = end;
    }
    return documents;
}

std::string readWholeText(const fs::path& path) {
    if (!isJsonLines(path)) {
        return readFile(path);
    }
    std::string text;
    for (const std::string& document : readJsonLines(path)) {
        text += document;
    }
    return text;
}

}  // namespace cospadi
