// A sentence of the engine together with what it is of, kept apart: files and the command line tell
// it in English, the window words the text in its own language (ui/base/phrase_words.h). The text
// is a literal where the phrase is made, `Phrase{"%1 of %2 matrices", {…}}`: a test reads the
// sources for those that lack a translation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

struct Phrase {
    std::string text = {};  // %1 … %9 stand for the values
    std::vector<std::string> values = {};
    std::vector<Phrase> more = {};  // what follows it behind commas
    bool empty() const { return text.empty(); }
};

std::string filled(std::string_view text, const std::vector<std::string>& values);

std::string inEnglish(const Phrase& phrase);
std::vector<std::string> inEnglish(const std::vector<Phrase>& phrases);

}  // namespace cospadi
