#include "core/tokenizer/added_tokens.h"

#include <algorithm>

#include "core/tokenizer/characters.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

unsigned char byteAt(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

bool standsAlone(std::string_view text, std::size_t begin, std::size_t end) {
    return (begin == 0 || !isWordCharacter(characterBefore(text, begin).codepoint)) &&
           (end == text.size() || !isWordCharacter(characterAt(text, end).codepoint));
}

}  // namespace

void AddedTokenMatcher::add(const AddedToken& token, std::string pattern) {
    if (!pattern.empty()) {
        m_entries.push_back({std::move(pattern), token});
    }
}

void AddedTokenMatcher::finish() {
    std::stable_sort(m_entries.begin(), m_entries.end(),
                     [](const Entry& a, const Entry& b) { return a.pattern < b.pattern; });
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        Range& range = m_byFirstByte[byteAt(m_entries[i].pattern, 0)];
        range.first = range.last == 0 ? i : range.first;
        range.last = i + 1;
    }
}

const AddedTokenMatcher::Entry* AddedTokenMatcher::longestAt(std::string_view text,
                                                             std::size_t at) const {
    auto [first, last] = m_byFirstByte[byteAt(text, at)];
    const Entry* longest = nullptr;
    for (std::size_t depth = 1; first < last; ++depth) {
        for (; first < last && m_entries[first].pattern.size() == depth; ++first) {
            if (longest == nullptr || longest->pattern.size() < depth) {
                longest = &m_entries[first];
            }
        }
        if (at + depth >= text.size()) {
            break;
        }
        const auto begin = m_entries.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = m_entries.begin() + static_cast<std::ptrdiff_t>(last);
        const unsigned char next = byteAt(text, at + depth);
        const auto lower = std::lower_bound(begin, end, next, [&](const Entry& e, unsigned char c) {
            return byteAt(e.pattern, depth) < c;
        });
        const auto upper = std::upper_bound(lower, end, next, [&](unsigned char c, const Entry& e) {
            return c < byteAt(e.pattern, depth);
        });
        first = static_cast<std::size_t>(lower - m_entries.begin());
        last = static_cast<std::size_t>(upper - m_entries.begin());
    }
    return longest;
}

std::vector<Segment> AddedTokenMatcher::split(std::string_view text, bool withSpecial) const {
    std::vector<Segment> segments;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < text.size();) {
        const Entry* match = longestAt(text, i);
        if (match == nullptr) {
            ++i;
            continue;
        }
        // A match that does not count still hides what lies inside it.
        std::size_t begin = i;
        std::size_t end = i + match->pattern.size();
        i = end;
        const AddedToken& token = match->token;
        if ((token.special && !withSpecial) ||
            (token.singleWord && !standsAlone(text, begin, end))) {
            continue;
        }
        while (token.leftStrip && begin > taken) {
            const Character before = characterBefore(text, begin);
            if (!isWhiteSpace(before.codepoint)) {
                break;
            }
            begin -= before.length;
        }
        begin = std::max(begin, taken);  // the token before may have swallowed white space
        while (token.rightStrip && end < text.size()) {
            const Character after = characterAt(text, end);
            if (!isWhiteSpace(after.codepoint)) {
                break;
            }
            end += after.length;
        }
        if (begin > taken) {
            segments.push_back({text.substr(taken, begin - taken), -1});
        }
        segments.push_back({text.substr(begin, std::max(end, begin) - begin), token.id});
        taken = std::max(taken, end);
    }
    if (taken < text.size()) {
        segments.push_back({text.substr(taken), -1});
    }
    return segments;
}

}  // namespace cospadi
