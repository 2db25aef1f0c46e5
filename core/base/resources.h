// Files that ship with the program: texts, published tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cospadi {

// E.g. resourcePath("texts/c4_calib.jsonl"). Looks under $COSPADI_RESOURCES, then where the program
// is installed (../share/cospadi beside the executable), then in the source tree it was built from.
// Throws Error naming the places that were tried.
std::filesystem::path resourcePath(const std::string& name);

// A text that ships, by its word (resources/texts/SOURCES.md): wikitext2, which perplexity is
// measured on, wikitext2-spread, passages from all over it, wikitext2-valid, by which settings are
// chosen, c4, which calibration draws from, or web, of which there is more. Any other text is the
// path that it says.
std::filesystem::path namedText(const std::string& text);
// The words.
std::vector<std::string> textNames();

}  // namespace cospadi
