// Byte-pair encoding: ranked merges over a vocabulary, as `tokenizers` (merges in a list) and
// SentencePiece (merges by the score of their result, leftmost first) do it.
//
// A piece starts as one symbol a character (or a byte, for byte-level vocabularies); then the pair
// of the lowest rank is merged, the leftmost among equals, until none is left. n characters cost
// O(n log n), whatever they are.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/tokenizer/vocabulary.h"

namespace cospadi {

class Bpe {
  public:
    struct Options {
        bool byteLevel = false;     // pieces are raw bytes, tokens are written in GPT-2's alphabet
        bool ignoreMerges = false;  // whole pieces that are tokens are taken before merging
        bool byteFallback = false;  // unknown characters become <0xNN> tokens
        bool fuseUnknown = false;   // neighbouring unknown characters become one unknown token
        std::int32_t unknownId = -1;  // -1: unknown characters are dropped
    };

    // The vocabulary is complete; merges: about how many will come.
    Bpe(Vocabulary vocabulary, const Options& options, std::size_t merges);

    // Both parts and their concatenation must be in the vocabulary (else false). A pair that is
    // given again takes the later rank. rank >= 0.
    bool addMerge(std::string_view left, std::string_view right, std::int32_t rank);

    // Calls part(text) for stretches of a piece that no merge can join, in order: encoding them one
    // by one gives the ids of the piece. Long pieces (a whole text in SentencePiece's manner) fall
    // into words, which a cache can serve.
    template <typename Part>
    void cut(std::string_view piece, Part&& part) const {
        std::size_t begin = 0;
        if (!m_options.byteLevel && !m_options.ignoreMerges) {
            for (std::size_t at = nextCut(piece, 0); at < piece.size(); at = nextCut(piece, at)) {
                part(piece.substr(begin, at - begin));
                begin = at;
            }
        }
        part(piece.substr(begin));
    }

    // Appends the ids of one piece: raw bytes (byte-level), else valid UTF-8.
    void encodePiece(std::string_view piece, std::vector<std::int32_t>& ids) const;

    const Vocabulary& vocabulary() const { return m_vocabulary; }

  private:
    struct Merge {
        std::uint64_t pair = kNoPair;
        std::int32_t rank = 0;
        std::int32_t id = 0;
    };
    static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};

    std::size_t nextCut(std::string_view piece, std::size_t from) const;
    void toSymbols(std::string_view piece, std::vector<std::int32_t>& symbols) const;
    bool appendBytes(std::string_view character, std::vector<std::int32_t>& symbols) const;
    const Merge* findMerge(std::int32_t left, std::int32_t right) const;
    std::size_t slotOf(std::uint64_t pair) const;
    void growMerges();
    void mergeFew(std::vector<std::int32_t>& symbols) const;
    void mergeMany(std::vector<std::int32_t>& symbols) const;

    Vocabulary m_vocabulary;
    Options m_options;
    std::vector<Merge> m_merges;  // open addressing
    std::size_t m_mergeCount = 0;
    std::array<std::int32_t, 256> m_byteIds;     // of one-byte tokens, or of <0xNN>; -1 where none
    std::unordered_set<std::uint64_t> m_joints;  // (last character of left, first of right)
};

}  // namespace cospadi
