#include "core/tokenizer/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <queue>

#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

constexpr std::size_t kFewSymbols = 40;

std::uint64_t pairOf(std::uint32_t left, std::uint32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | right;
}

std::uint64_t pairOf(std::int32_t left, std::int32_t right) {
    return pairOf(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(right));
}

struct Symbol {
    std::int32_t id;  // -1 once it is part of the symbol before
    std::int32_t previous;
    std::int32_t next;
};

}  // namespace

Bpe::Bpe(Vocabulary vocabulary, const Options& options, std::size_t merges)
    : m_vocabulary(std::move(vocabulary)),
      m_options(options),
      m_merges(std::bit_ceil(std::max<std::size_t>(16, 2 * merges))) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::string text = m_options.byteLevel
                                     ? byteLevelCharacter(static_cast<unsigned char>(byte))
                                     : fmt::format("<0x{:02X}>", byte);
        m_byteIds[byte] = m_vocabulary.idOf(text);
    }
}

bool Bpe::addMerge(std::string_view left, std::string_view right, std::int32_t rank) {
    const std::int32_t a = m_vocabulary.idOf(left);
    const std::int32_t b = m_vocabulary.idOf(right);
    if (a < 0 || b < 0 || left.empty() || right.empty()) {
        return false;
    }
    const std::int32_t merged = m_vocabulary.idOf(std::string(left) + std::string(right));
    if (merged < 0) {
        return false;
    }
    if (2 * (m_mergeCount + 1) > m_merges.size()) {
        growMerges();
    }
    Merge& merge = m_merges[slotOf(pairOf(a, b))];
    m_mergeCount += merge.pair == kNoPair ? 1 : 0;
    merge = {pairOf(a, b), rank, merged};
    if (!m_options.byteLevel) {
        m_joints.insert(
            pairOf(static_cast<std::uint32_t>(characterBefore(left, left.size()).codepoint),
                   static_cast<std::uint32_t>(characterAt(right, 0).codepoint)));
    }
    return true;
}

std::size_t Bpe::slotOf(std::uint64_t pair) const {
    const std::size_t mask = m_merges.size() - 1;
    std::size_t slot = (pair * 0x9E3779B97F4A7C15ULL >> 24) & mask;
    while (m_merges[slot].pair != kNoPair && m_merges[slot].pair != pair) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

void Bpe::growMerges() {
    std::vector<Merge> old(m_merges.size() * 2);
    old.swap(m_merges);
    for (const Merge& merge : old) {
        if (merge.pair != kNoPair) {
            m_merges[slotOf(merge.pair)] = merge;
        }
    }
}

const Bpe::Merge* Bpe::findMerge(std::int32_t left, std::int32_t right) const {
    const Merge& merge = m_merges[slotOf(pairOf(left, right))];
    return merge.pair == kNoPair ? nullptr : &merge;
}

// A cut lies between two characters that are tokens and at which no merge ever joins.
std::size_t Bpe::nextCut(std::string_view piece, std::size_t from) const {
    if (from >= piece.size()) {
        return piece.size();
    }
    Character left = characterAt(piece, from);
    bool leftIsToken = m_vocabulary.idOf(piece.substr(from, left.length)) >= 0;
    for (std::size_t at = from + left.length; at < piece.size();) {
        const Character right = characterAt(piece, at);
        const bool rightIsToken = m_vocabulary.idOf(piece.substr(at, right.length)) >= 0;
        if (leftIsToken && rightIsToken &&
            !m_joints.contains(pairOf(static_cast<std::uint32_t>(left.codepoint),
                                      static_cast<std::uint32_t>(right.codepoint)))) {
            return at;
        }
        left = right;
        leftIsToken = rightIsToken;
        at += right.length;
    }
    return piece.size();
}

bool Bpe::appendBytes(std::string_view character, std::vector<std::int32_t>& symbols) const {
    const auto idOfByte = [&](char c) { return m_byteIds[static_cast<unsigned char>(c)]; };
    if (!m_options.byteFallback ||
        std::any_of(character.begin(), character.end(), [&](char c) { return idOfByte(c) < 0; })) {
        return false;
    }
    std::transform(character.begin(), character.end(), std::back_inserter(symbols), idOfByte);
    return true;
}

// The unknown token is held back until a known character follows, bytes do not release it: so does
// the package.
void Bpe::toSymbols(std::string_view piece, std::vector<std::int32_t>& symbols) const {
    bool unknown = false;
    const auto release = [&] {
        if (unknown) {
            symbols.push_back(m_options.unknownId);
            unknown = false;
        }
    };
    const auto add = [&](std::int32_t id, std::string_view character) {
        if (id >= 0) {
            release();
            symbols.push_back(id);
        } else if (!appendBytes(character, symbols) && m_options.unknownId >= 0) {
            if (!m_options.fuseUnknown) {
                release();
            }
            unknown = true;
        }
    };
    symbols.reserve(piece.size() + 1);
    if (m_options.byteLevel) {
        for (const char c : piece) {
            add(m_byteIds[static_cast<unsigned char>(c)], {});
        }
    } else {
        for (std::size_t at = 0; at < piece.size();) {
            const std::string_view character = piece.substr(at, characterAt(piece, at).length);
            add(m_vocabulary.idOf(character), character);
            at += character.size();
        }
    }
    release();
}

void Bpe::encodePiece(std::string_view piece, std::vector<std::int32_t>& ids) const {
    if (m_options.ignoreMerges) {
        std::string text;
        if (m_options.byteLevel) {
            for (const char c : piece) {
                text += byteLevelCharacter(static_cast<unsigned char>(c));
            }
        }
        const std::int32_t whole = m_vocabulary.idOf(m_options.byteLevel ? text : piece);
        if (whole >= 0) {
            ids.push_back(whole);
            return;
        }
    }
    std::vector<std::int32_t> symbols;
    toSymbols(piece, symbols);
    if (symbols.size() > kFewSymbols) {
        mergeMany(symbols);
    } else {
        mergeFew(symbols);
    }
    ids.insert(ids.end(), symbols.begin(), symbols.end());
}

void Bpe::mergeFew(std::vector<std::int32_t>& symbols) const {
    constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
    std::array<std::int32_t, kFewSymbols> ranks{};  // of symbol i with its right neighbour
    std::array<std::int32_t, kFewSymbols> merged{};
    const auto rate = [&](std::size_t i) {
        const Merge* merge = findMerge(symbols[i], symbols[i + 1]);
        ranks[i] = merge != nullptr ? merge->rank : kNever;
        merged[i] = merge != nullptr ? merge->id : -1;
    };
    std::size_t count = symbols.size();
    for (std::size_t i = 0; i + 1 < count; ++i) {
        rate(i);
    }
    while (count > 1) {
        const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(count) - 1;
        const auto best = std::min_element(ranks.begin(), end);
        if (*best == kNever) {
            break;
        }
        const auto at = static_cast<std::size_t>(best - ranks.begin());
        symbols[at] = merged[at];
        for (std::size_t i = at + 1; i + 1 < count; ++i) {
            symbols[i] = symbols[i + 1];
            ranks[i] = ranks[i + 1];
            merged[i] = merged[i + 1];
        }
        --count;
        if (at + 1 < count) {
            rate(at);
        }
        if (at > 0) {
            rate(at - 1);
        }
    }
    symbols.resize(count);
}

// Candidates wait in a queue; one whose pair has changed meanwhile is recognised by its rank, since
// the pair at a position only ever grows.
void Bpe::mergeMany(std::vector<std::int32_t>& ids) const {
    std::vector<Symbol> symbols(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto position = static_cast<std::int32_t>(i);
        symbols[i] = {ids[i], position - 1, position + 1};
    }
    symbols.back().next = -1;
    const auto symbol = [&](std::int32_t position) -> Symbol& {
        return symbols[static_cast<std::size_t>(position)];
    };
    const auto mergeAt = [&](std::int32_t position) -> const Merge* {
        const Symbol& left = symbol(position);
        return left.id < 0 || left.next < 0 ? nullptr : findMerge(left.id, symbol(left.next).id);
    };
    std::vector<std::uint64_t> first;
    for (std::int32_t i = 0; i + 1 < static_cast<std::int32_t>(ids.size()); ++i) {
        if (const Merge* merge = mergeAt(i)) {
            first.push_back(pairOf(merge->rank, i));
        }
    }
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> queue(
        std::greater<>(), std::move(first));
    while (!queue.empty()) {
        const std::uint64_t candidate = queue.top();
        queue.pop();
        const auto position = static_cast<std::int32_t>(candidate & 0xFFFFFFFF);
        const Merge* merge = mergeAt(position);
        if (merge == nullptr || static_cast<std::uint64_t>(merge->rank) != candidate >> 32) {
            continue;
        }
        Symbol& left = symbol(position);
        Symbol& right = symbol(left.next);
        left.id = merge->id;
        left.next = right.next;
        right.id = -1;
        if (left.next >= 0) {
            symbol(left.next).previous = position;
        }
        for (const std::int32_t at : {left.previous, position}) {
            const Merge* next = at >= 0 ? mergeAt(at) : nullptr;
            if (next != nullptr) {
                queue.push(pairOf(next->rank, at));
            }
        }
    }
    ids.clear();
    for (std::int32_t i = 0; i >= 0; i = symbol(i).next) {
        ids.push_back(symbol(i).id);
    }
}

}  // namespace cospadi
