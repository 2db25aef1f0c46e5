#include "core/base/phrase.h"

namespace cospadi {

// In one pass: what a value holds is never taken for a place.
std::string filled(std::string_view text, const std::vector<std::string>& values) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isPlace =
            text[i] == '%' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9';
        const auto place = isPlace ? static_cast<std::size_t>(text[i + 1] - '1') : values.size();
        if (place < values.size()) {
            result += values[place];
            ++i;
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string inEnglish(const Phrase& phrase) {
    std::string result = filled(phrase.text, phrase.values);
    for (const Phrase& next : phrase.more) {
        result += ", " + inEnglish(next);
    }
    return result;
}

std::vector<std::string> inEnglish(const std::vector<Phrase>& phrases) {
    std::vector<std::string> texts;
    for (const Phrase& phrase : phrases) {
        texts.push_back(inEnglish(phrase));
    }
    return texts;
}

}  // namespace cospadi
