// The pieces of one text that have been encoded already, and where their ids lie in the output:
// most words of a text occur again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cospadi {

class PieceCache {
  public:
    // textSize: bytes of the text that will be encoded.
    explicit PieceCache(std::size_t textSize);

    // Appends the ids of the piece, copied from an earlier occurrence or made by encode(piece,
    // ids). The piece's bytes must stay valid as long as the cache; ids must only ever be appended
    // to.
    template <typename Encode>
    void append(std::string_view piece, std::vector<std::int32_t>& ids, Encode&& encode) {
        if (piece.size() > kLongest) {
            encode(piece, ids);
            return;
        }
        Entry& entry = entryFor(piece);
        if (entry.count == kNew) {
            entry.first = ids.size();
            encode(piece, ids);
            entry.count = static_cast<std::uint32_t>(ids.size() - entry.first);
            return;
        }
        for (std::size_t i = entry.first; i < entry.first + entry.count; ++i) {
            ids.push_back(ids[i]);
        }
    }

  private:
    static constexpr std::size_t kLongest = 64;
    static constexpr std::uint32_t kNew = 0xFFFFFFFF;
    struct Entry {
        const char* text = nullptr;
        std::uint32_t length = 0;
        std::uint32_t count = kNew;  // of ids
        std::size_t first = 0;       // their place in the output
    };

    // The entry of the piece; a new one has count kNew.
    Entry& entryFor(std::string_view piece);
    Entry& slotOf(std::string_view piece);
    void grow();

    std::vector<Entry> m_entries;  // open addressing
    std::size_t m_used = 0;
};

}  // namespace cospadi
