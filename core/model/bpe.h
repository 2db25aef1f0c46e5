// Byte-pair merging: the vocabulary of byte strings and the ranked merges of a byte-level BPE.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cospadi {

class Bpe {
  public:
    Bpe() { m_byteIds.fill(-1); }

    // A vocabulary entry, in the byte-level alphabet. Later entries of the same text win.
    void addToken(std::string_view text, std::int32_t id);
    // In rank order; both parts and their concatenation must be in the vocabulary (else false).
    bool addMerge(std::string_view left, std::string_view right);
    // Called once after all tokens: finds the ids of single bytes.
    void finishVocabulary();
    // Whole pieces that are tokens are taken before merging.
    void setIgnoreMerges(bool value) { m_ignoreMerges = value; }

    // Appends the ids of one piece of raw bytes. Bytes without a token are dropped, as
    // Hugging Face and llama.cpp do.
    void encodePiece(std::string_view bytes, std::vector<std::int32_t>& ids) const;

    // -1 when absent.
    std::int32_t idOf(std::string_view byteLevelText) const;

  private:
    struct Merge {
        std::int32_t rank;
        std::int32_t id;
    };
    struct StringHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    using StringMap = std::unordered_map<std::string, std::int32_t, StringHash, std::equal_to<>>;

    const Merge* findMerge(std::int32_t left, std::int32_t right) const;

    StringMap m_vocabulary;     // byte-level text -> id
    StringMap m_rawVocabulary;  // raw bytes -> id, filled when merges are ignored
    std::unordered_map<std::uint64_t, Merge> m_merges;
    std::array<std::int32_t, 256> m_byteIds;
    bool m_ignoreMerges = false;
};

}  // namespace cospadi
