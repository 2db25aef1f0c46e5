#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/tasks/python_text.h"

#include <pcre2.h>
#include <utf8proc.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/error.h"
#include "core/tokenizer/characters.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

// str.isspace(): Unicode's white space and the separators of ASCII.
bool isPythonSpace(char32_t c) { return isWhiteSpace(c) || (c >= 0x1c && c <= 0x1f); }

PCRE2_SPTR bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

using Code = std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)>;

const pcre2_code* compiled(const char* pattern) {
    static std::mutex mutex;
    static std::map<std::string, Code> codes;
    const std::scoped_lock lock(mutex);
    const auto found = codes.find(pattern);
    if (found != codes.end()) {
        return found->second.get();
    }
    int error = 0;
    PCRE2_SIZE at = 0;
    Code code(pcre2_compile(bytes(pattern), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP, &error,
                            &at, nullptr),
              &pcre2_code_free);
    if (!code) {
        throw Error("a pattern does not compile", pattern, "this is a bug; please report it");
    }
    return codes.emplace(pattern, std::move(code)).first->second.get();
}

}  // namespace

std::int64_t pythonLength(std::string_view text) {
    std::int64_t length = 0;
    for (const char c : text) {
        length += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
    }
    return length;
}

std::string_view pythonLeftStrip(std::string_view text) {
    while (!text.empty()) {
        const Character first = characterAt(text, 0);
        if (!isPythonSpace(first.codepoint)) {
            break;
        }
        text.remove_prefix(first.length);
    }
    return text;
}

std::string_view pythonRightStrip(std::string_view text) {
    while (!text.empty()) {
        const Character last = characterBefore(text, text.size());
        if (!isPythonSpace(last.codepoint)) {
            break;
        }
        text.remove_suffix(last.length);
    }
    return text;
}

std::string_view pythonStrip(std::string_view text) {
    return pythonLeftStrip(pythonRightStrip(text));
}

std::string pythonCapitalize(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = characterAt(text, at);
        const auto codepoint = static_cast<utf8proc_int32_t>(c.codepoint);
        result += encodeUtf8(static_cast<char32_t>(at == 0 ? utf8proc_totitle(codepoint)
                                                           : utf8proc_tolower(codepoint)));
        at += c.length;
    }
    return result;
}

std::string pythonLowerFirst(std::string_view text) {
    if (text.empty()) {
        return {};
    }
    const Character first = characterAt(text, 0);
    return encodeUtf8(static_cast<char32_t>(
               utf8proc_tolower(static_cast<utf8proc_int32_t>(first.codepoint)))) +
           std::string(text.substr(first.length));
}

std::string pythonReplace(std::string text, std::string_view old, std::string_view with) {
    for (std::size_t at = text.find(old); at != std::string::npos;
         at = text.find(old, at + with.size())) {
        text.replace(at, old.size(), with);
    }
    return text;
}

std::string pythonSubstitute(const char* pattern, std::string_view with, std::string_view text) {
    std::vector<char> buffer(2 * text.size() + 64);
    PCRE2_SIZE size = buffer.size();
    const auto substitute = [&] {
        return pcre2_substitute(compiled(pattern), bytes(text), text.size(), 0,
                                PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_OVERFLOW_LENGTH, nullptr,
                                nullptr, bytes(with), with.size(),
                                reinterpret_cast<PCRE2_UCHAR*>(buffer.data()), &size);
    };
    int outcome = substitute();
    if (outcome == PCRE2_ERROR_NOMEMORY) {
        buffer.resize(size);
        outcome = substitute();
    }
    if (outcome < 0) {
        throw Error("a pattern cannot be matched against a text of the data", pattern,
                    "is the text valid UTF-8?");
    }
    return {buffer.data(), size};
}

std::int64_t pythonMatches(const char* pattern, std::string_view text) {
    const pcre2_code* code = compiled(pattern);
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    std::int64_t count = 0;
    PCRE2_SIZE at = 0;
    while (at <= text.size() &&
           pcre2_match(code, bytes(text), text.size(), at, 0, match.get(), nullptr) > 0) {
        const PCRE2_SIZE* where = pcre2_get_ovector_pointer(match.get());
        ++count;
        at = where[1] > where[0] ? where[1] : where[1] + 1;
    }
    return count;
}

}  // namespace cospadi
