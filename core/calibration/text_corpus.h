// Texts for calibration and evaluation: JSON lines, of which each is an object with a string field
// "text" or "page", or plain UTF-8 text; either may be compressed by gzip. Which it is the content
// says, whatever the file is called: JSON lines where the first line that is not blank is such an
// object. A file named .jsonl that begins otherwise is refused, and so is one named .gz that is not
// compressed. Errors name file and line.
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
