#include "core/forms/sparse_dictionary/sparsity_pattern.h"

#include "core/base/error.h"
#include "core/forms/matrix_tensors.h"

namespace cospadi {

StoredMask storedMaskOf(const StoredTensors& file) {
    const MatrixRecord& record = file.record();
    const TensorView& mask = file.require("mask");
    const std::int64_t columns = record.side == DictionarySide::Input ? record.d2 : record.d1;
    if (mask.dtype != DType::U8 ||
        static_cast<std::int64_t>(mask.bytes.size()) != (record.k * columns + 7) / 8) {
        file.reject("the mask does not fit k and the columns of S");
    }
    return {mask.bytes, columns};
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
