#include "core/model/added_tokens.h"

#include <utf8proc.h>

#include <algorithm>

#include "core/model/utf8.h"

namespace cospadi {

namespace {

std::int32_t codepointAt(std::string_view text) {
    utf8proc_int32_t codepoint = -1;
    utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &codepoint);
    return codepoint;
}

std::size_t lastCharacter(std::string_view text) {
    std::size_t i = text.size() - 1;
    while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
        --i;
    }
    return i;
}

bool isSpace(std::int32_t c) {
    return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

bool isWord(std::int32_t c) {
    const utf8proc_category_t category = utf8proc_category(c);
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) ||
           category == UTF8PROC_CATEGORY_PC;
}

bool standsAlone(std::string_view before, std::string_view after) {
    return (before.empty() || !isWord(codepointAt(before.substr(lastCharacter(before))))) &&
           (after.empty() || !isWord(codepointAt(after)));
}

}  // namespace

void AddedTokenMatcher::add(const AddedToken& token) {
    if (token.content.empty()) {
        return;
    }
    m_tokens.push_back(token);
    std::vector<std::size_t>& bucket = m_byFirstByte[static_cast<unsigned char>(token.content[0])];
    bucket.push_back(m_tokens.size() - 1);
    std::stable_sort(bucket.begin(), bucket.end(), [&](std::size_t a, std::size_t b) {
        return m_tokens[a].content.size() > m_tokens[b].content.size();
    });
}

std::vector<Segment> AddedTokenMatcher::split(std::string_view text, bool normalized,
                                              bool withSpecial) const {
    std::vector<Segment> segments;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < text.size();) {
        const AddedToken* match = nullptr;
        for (const std::size_t index : m_byFirstByte[static_cast<unsigned char>(text[i])]) {
            const AddedToken& token = m_tokens[index];
            if (token.normalized == normalized && (withSpecial || !token.special) &&
                text.substr(i).starts_with(token.content)) {
                match = &token;
                break;
            }
        }
        if (match == nullptr) {
            ++i;
            continue;
        }
        std::size_t begin = i;
        std::size_t end = i + match->content.size();
        if (match->singleWord && !standsAlone(text.substr(0, begin), text.substr(end))) {
            i = end;
            continue;
        }
        while (match->leftStrip && begin > taken) {
            const std::size_t last = taken + lastCharacter(text.substr(taken, begin - taken));
            if (!isSpace(codepointAt(text.substr(last)))) {
                break;
            }
            begin = last;
        }
        while (match->rightStrip && end < text.size() && isSpace(codepointAt(text.substr(end)))) {
            end += characterLength(text.substr(end));
        }
        if (begin > taken) {
            segments.push_back({text.substr(taken, begin - taken), -1});
        }
        segments.push_back({text.substr(begin, end - begin), match->id});
        taken = i = end;
    }
    if (taken < text.size()) {
        segments.push_back({text.substr(taken), -1});
    }
    return segments;
}

}  // namespace cospadi
