// Texts for calibration and evaluation: a .jsonl file with one object per line that has a string
// field "text" or "page", or any other file as plain UTF-8 text. Either may be compressed by gzip,
// with .gz behind its name. Errors name file and line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cospadi {

// The documents in file order. A plain text is cut after blank lines, so that shuffling mixes it;
// nothing is lost: the documents of a plain text joined give the file back.
std::vector<std::string> readDocuments(const std::filesystem::path& path);

// The whole as one string: the documents joined without a separator.
std::string readWholeText(const std::filesystem::path& path);

}  // namespace cospadi
