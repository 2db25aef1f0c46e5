// A model with some of its blocks left out: those behind move up, so that it is what its files
// would hold had they never had these blocks. Two numbers a block: its place in the model, and the
// one that files have for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cospadi {

class KeptBlocks {
  public:
    KeptBlocks() = default;  // every block is its own place
    // Of a model of so many blocks. Throws Error naming `where` for a block that it does not have,
    // one that is left out twice, and where none is kept.
    KeptBlocks(std::int64_t blocks, const std::vector<std::int64_t>& leftOut,
               const std::string& where);

    bool all() const { return m_originals.empty(); }
    // How many are kept; of all: `blocks`.
    std::int64_t countOf(std::int64_t blocks) const;
    // The number that the files have for what stands at this place.
    std::int64_t original(std::int64_t place) const;
    // Where the block of the files stands; none where it is left out.
    std::optional<std::int64_t> placeOf(std::int64_t original) const;

    // "model.layers.3.…" or "blk.3.…" with the other number; what belongs to no block stays as it
    // is. Back again: none for what is left out.
    std::string originalName(const std::string& name) const;
    std::optional<std::string> placedName(const std::string& name) const;

  private:
    std::vector<std::int64_t> m_originals;  // by place; empty: all are kept
};

}  // namespace cospadi
