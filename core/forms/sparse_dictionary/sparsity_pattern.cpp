#include "core/forms/sparse_dictionary/sparsity_pattern.h"

#include <fmt/format.h>

#include <bit>

#include "core/base/error.h"
#include "core/forms/matrix_tensors.h"
#include "core/forms/pattern_fields.h"

namespace cospadi {

namespace {

constexpr int kMostChoiceBits = 16;

void set(std::vector<std::uint8_t>& bits, std::int64_t index) {
    bits[static_cast<std::size_t>(index / 8)] |=
        static_cast<std::uint8_t>(1U << static_cast<unsigned>(index % 8));
}

std::vector<std::uint8_t> emptyMask(std::int64_t entries) {
    return std::vector<std::uint8_t>(static_cast<std::size_t>((entries + 7) / 8), 0);
}

std::uint32_t placesOf(const StoredMask& mask, std::int64_t first) {
    std::uint32_t places = 0;
    for (int i = 0; i < mask.pattern.group; ++i) {
        places |= mask.at(first + i) ? 1U << static_cast<unsigned>(i) : 0U;
    }
    return places;
}

}  // namespace

StoredMask maskOf(const Eigen::MatrixXf& codes, const NmPattern& pattern) {
    StoredMask mask{emptyMask(codes.size()), codes.cols(), pattern};
    for (Eigen::Index i = 0; i < codes.size(); ++i) {
        if (codes.data()[i] != 0) {
            set(mask.bytes, i);
        }
    }
    for (Eigen::Index first = 0; pattern.isGrouped() && first < codes.size();
         first += pattern.group) {
        int missing = pattern.kept - std::popcount(placesOf(mask, first));
        for (Eigen::Index i = first; missing > 0; ++i) {
            missing -= mask.at(i) ? 0 : 1;
            set(mask.bytes, i);
        }
    }
    return mask;
}

std::vector<std::uint8_t> maskStream(const StoredMask& mask, std::int64_t entries) {
    if (!mask.pattern.isGrouped()) {
        return mask.bytes;
    }
    BitWriter writer(mask.pattern.choiceBits());
    for (std::int64_t first = 0; first < entries; first += mask.pattern.group) {
        writer.add(static_cast<std::uint16_t>(choiceNumber(placesOf(mask, first))));
    }
    return writer.finish();
}

StoredMask storedMaskOf(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    const NmPattern pattern = patternOf(file);
    if (pattern.isGrouped() &&
        (pattern.choiceBits() > kMostChoiceBits || record.k % pattern.group != 0)) {
        file.reject(fmt::format("codes of {} do not divide {} atoms", pattern.name(), record.k));
    }
    const TensorView& stored = file.require("mask");
    const std::int64_t columns = record.side == DictionarySide::Input ? record.d2 : record.d1;
    const std::int64_t entries = record.k * columns;
    const std::int64_t bytes = pattern.isGrouped()
                                   ? streamBytes(entries / pattern.group, pattern.choiceBits())
                                   : (entries + 7) / 8;
    if (stored.dtype != DType::U8 || static_cast<std::int64_t>(stored.bytes.size()) != bytes) {
        file.reject("the mask does not fit k and the columns of S");
    }
    StoredMask mask{{}, columns, pattern};
    if (!pattern.isGrouped()) {
        const auto* from = reinterpret_cast<const std::uint8_t*>(stored.bytes.data());
        mask.bytes.assign(from, from + stored.bytes.size());
        return mask;
    }
    mask.bytes = emptyMask(entries);
    BitReader reader(stored.bytes, pattern.choiceBits());
    for (std::int64_t first = 0; first < entries; first += pattern.group) {
        const std::uint32_t number = reader.next();
        if (number >= choices(pattern)) {
            file.reject(fmt::format("{} is not a choice of {}", number, pattern.name()));
        }
        const std::uint32_t places = placesOfChoice(number, pattern);
        for (int i = 0; i < pattern.group; ++i) {
            if ((places >> static_cast<unsigned>(i) & 1U) != 0) {
                set(mask.bytes, first + i);
            }
        }
    }
    return mask;
}

SparsityPattern readSparsityPattern(const std::filesystem::path& path) {
    const StoredTensors file(path);
    if (file.form() != SparseDictionaryWeight::kForm) {
        throw Error("a matrix of form " + file.form() + " has no sparsity pattern", path.string(),
                    "choose a matrix of a cospadi run");
    }
    const StoredMask mask = storedMaskOf(file);
    SparsityPattern pattern;
    pattern.k = file.record().k;
    pattern.d2 = mask.columns;
    pattern.side = file.record().side;
    pattern.entries.resize(static_cast<std::size_t>(pattern.k * pattern.d2));
    pattern.atomUsage.assign(static_cast<std::size_t>(pattern.k), 0);
    for (std::int64_t i = 0; i < pattern.k * pattern.d2; ++i) {
        const bool set = mask.at(i);
        pattern.entries[static_cast<std::size_t>(i)] = set ? 1 : 0;
        pattern.atomUsage[static_cast<std::size_t>(i % pattern.k)] += set ? 1 : 0;
    }
    return pattern;
}

}  // namespace cospadi
