// Unicode's normalisation forms in time that grows linearly with the text, whatever it holds.
//
// The package `tokenizers` normalises with tables of an old Unicode version: characters that are
// newer than these pass unchanged and keep their place. The same is done here.
#pragma once

#include <string>
#include <string_view>

namespace cospadi {

enum class UnicodeForm { Nfc, Nfd, Nfkc, Nfkd };

// text: valid UTF-8.
std::string normalizeUnicode(std::string_view text, UnicodeForm form);

// True when the text surely is its own form C (a quick look, not a proof of the contrary).
bool isPlainlyNfc(std::string_view text);

}  // namespace cospadi
