#include "core/model/bpe.h"

#include <algorithm>
#include <queue>

#include "core/model/utf8.h"

namespace cospadi {

namespace {

std::uint64_t key(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
}

struct Symbol {
    std::int32_t id;
    std::int32_t previous;
    std::int32_t next;
};

struct Candidate {
    std::int32_t rank;
    std::int32_t position;
    std::int32_t left, right, merged;

    bool operator>(const Candidate& other) const {
        return rank != other.rank ? rank > other.rank : position > other.position;
    }
};

}  // namespace

void Bpe::addToken(std::string_view text, std::int32_t id) {
    m_vocabulary.insert_or_assign(std::string(text), id);
}

bool Bpe::addMerge(std::string_view left, std::string_view right) {
    const std::int32_t a = idOf(left);
    const std::int32_t b = idOf(right);
    const std::int32_t merged = idOf(std::string(left) + std::string(right));
    if (a < 0 || b < 0 || merged < 0) {
        return false;
    }
    m_merges.try_emplace(key(a, b), Merge{static_cast<std::int32_t>(m_merges.size()), merged});
    return true;
}

void Bpe::finishVocabulary() {
    for (int byte = 0; byte < 256; ++byte) {
        m_byteIds[static_cast<std::size_t>(byte)] =
            idOf(byteLevelCharacter(static_cast<unsigned char>(byte)));
    }
    if (m_ignoreMerges) {
        for (const auto& [text, id] : m_vocabulary) {
            if (const auto raw = byteLevelDecode(text)) {
                m_rawVocabulary.emplace(*raw, id);
            }
        }
    }
}

std::int32_t Bpe::idOf(std::string_view byteLevelText) const {
    const auto found = m_vocabulary.find(byteLevelText);
    return found == m_vocabulary.end() ? -1 : found->second;
}

const Bpe::Merge* Bpe::findMerge(std::int32_t left, std::int32_t right) const {
    const auto found = m_merges.find(key(left, right));
    return found == m_merges.end() ? nullptr : &found->second;
}

void Bpe::encodePiece(std::string_view bytes, std::vector<std::int32_t>& ids) const {
    if (m_ignoreMerges) {
        if (const auto whole = m_rawVocabulary.find(bytes); whole != m_rawVocabulary.end()) {
            ids.push_back(whole->second);
            return;
        }
    }
    std::vector<Symbol> symbols;
    symbols.reserve(bytes.size());
    for (const char c : bytes) {
        const std::int32_t id = m_byteIds[static_cast<unsigned char>(c)];
        if (id >= 0) {
            const auto position = static_cast<std::int32_t>(symbols.size());
            symbols.push_back({id, position - 1, position + 1});
        }
    }
    if (symbols.empty()) {
        return;
    }
    symbols.back().next = -1;

    // The best pair first; entries that later merges made stale are skipped when they surface.
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](std::int32_t position) {
        if (position < 0 || symbols[static_cast<std::size_t>(position)].next < 0) {
            return;
        }
        const Symbol& left = symbols[static_cast<std::size_t>(position)];
        const Symbol& right = symbols[static_cast<std::size_t>(left.next)];
        if (const Merge* merge = findMerge(left.id, right.id)) {
            queue.push({merge->rank, position, left.id, right.id, merge->id});
        }
    };
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        offer(static_cast<std::int32_t>(i));
    }
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[static_cast<std::size_t>(best.position)];
        if (left.id != best.left || left.next < 0 ||
            symbols[static_cast<std::size_t>(left.next)].id != best.right) {
            continue;
        }
        Symbol& right = symbols[static_cast<std::size_t>(left.next)];
        left.id = best.merged;
        left.next = right.next;
        right.id = -1;
        if (left.next >= 0) {
            symbols[static_cast<std::size_t>(left.next)].previous = best.position;
        }
        offer(left.previous);
        offer(best.position);
    }
    for (std::int32_t i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
        ids.push_back(symbols[static_cast<std::size_t>(i)].id);
    }
}

}  // namespace cospadi
