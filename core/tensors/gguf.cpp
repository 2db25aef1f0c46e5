#include "core/tensors/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/tensors/gguf_cursor.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

constexpr std::uint64_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxAlignment = 1 << 20;

std::optional<DType> dtypeFromGguf(std::uint32_t code) {
    constexpr std::pair<std::uint32_t, DType> kTypes[] = {
        {0, DType::F32},   {1, DType::F16},   {2, DType::Q4_0},  {3, DType::Q4_1},
        {6, DType::Q5_0},  {7, DType::Q5_1},  {8, DType::Q8_0},  {10, DType::Q2_K},
        {11, DType::Q3_K}, {12, DType::Q4_K}, {13, DType::Q5_K}, {14, DType::Q6_K},
        {24, DType::I8},   {25, DType::I16},  {26, DType::I32},  {27, DType::I64},
        {28, DType::F64},  {30, DType::BF16}};
    for (const auto& [known, type] : kTypes) {
        if (known == code) {
            return type;
        }
    }
    return std::nullopt;
}

struct Placed {
    TensorView view;
    std::uint64_t offset = 0;
    std::int64_t bytes = 0;
};

Placed readTensor(GgufCursor& cursor, const std::string& file) {
    Placed tensor;
    tensor.view.name = std::string(cursor.readString());
    tensor.view.file = file;
    const std::string where = file + ", tensor " + printableName(tensor.view.name);
    const auto dimensions = cursor.read<std::uint32_t>();
    if (dimensions == 0 || dimensions > kMaxDimensions) {
        throw Error("has " + std::to_string(dimensions) + " dimensions", where, kDamagedGguf);
    }
    for (std::uint32_t i = 0; i < dimensions; ++i) {
        const auto extent = cursor.read<std::uint64_t>();
        if (extent > static_cast<std::uint64_t>(INT64_MAX)) {
            throw Error("a dimension is too large", where, kDamagedGguf);
        }
        tensor.view.shape.push_back(static_cast<std::int64_t>(extent));
    }
    std::reverse(tensor.view.shape.begin(), tensor.view.shape.end());
    const auto typeCode = cursor.read<std::uint32_t>();
    const std::optional<DType> type = dtypeFromGguf(typeCode);
    if (!type) {
        throw Error("has GGUF type " + std::to_string(typeCode) + ", which is not supported", where,
                    "supported: F32 F16 BF16 F64 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K to Q6_K");
    }
    tensor.view.dtype = *type;
    if (tensor.view.shape.back() % blockElements(*type) != 0) {
        throw Error("a row does not fill whole quantisation blocks", where, kDamagedGguf);
    }
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.view.shape) {
        count = checkedProduct(count, extent, where);
    }
    tensor.bytes = checkedProduct(count / blockElements(*type), blockBytes(*type), where);
    tensor.offset = cursor.read<std::uint64_t>();
    return tensor;
}

void checkOverlaps(std::vector<Placed>& tensors, const std::string& file) {
    std::vector<const Placed*> order;
    for (const Placed& tensor : tensors) {
        order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(),
              [](const Placed* a, const Placed* b) {  // empty tensors before what begins there
                  return std::pair(a->offset, a->bytes) < std::pair(b->offset, b->bytes);
              });
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (order[i - 1]->offset + static_cast<std::uint64_t>(order[i - 1]->bytes) >
            order[i]->offset) {
            throw Error("tensors " + printableName(order[i - 1]->view.name) + " and " +
                            printableName(order[i]->view.name) + " overlap",
                        file, kDamagedGguf);
        }
    }
}

}  // namespace

GgufFile GgufFile::open(const std::filesystem::path& path) {
    static_assert(std::endian::native == std::endian::little);
    GgufFile file;
    file.m_mapping = MappedFile::open(path);
    const std::string where = path.string();
    const std::span<const std::byte> all = file.m_mapping->bytes();
    GgufCursor cursor(all, where);
    if (cursor.remaining() < 4 || std::memcmp(all.data(), "GGUF", 4) != 0) {
        cursor.fail("does not begin with GGUF");
    }
    cursor.read<std::uint32_t>();
    const auto version = cursor.read<std::uint32_t>();
    if (version != 2 && version != 3) {
        throw Error("has GGUF version " + std::to_string(version), where,
                    "versions 2 and 3, little-endian, are supported");
    }
    const auto tensorCount = cursor.read<std::uint64_t>();
    const auto valueCount = cursor.read<std::uint64_t>();
    // Smallest entries: name length + dimension count + one dimension + type + offset; key + type.
    if (tensorCount > all.size() / 32 || valueCount > all.size() / 12) {
        cursor.fail("declares more entries than the file can contain");
    }

    for (std::uint64_t i = 0; i < valueCount; ++i) {
        const std::string key(cursor.readString());
        if (!file.m_metadata.emplace(key, cursor.readValue()).second) {
            cursor.fail("the metadata key " + printableName(key) + " occurs twice");
        }
    }
    std::vector<Placed> tensors;
    for (std::uint64_t i = 0; i < tensorCount; ++i) {
        tensors.push_back(readTensor(cursor, where));
        if (!file.m_byName.emplace(tensors.back().view.name, i).second) {
            cursor.fail("the tensor name " + printableName(tensors.back().view.name) +
                        " occurs twice");
        }
    }

    const auto alignment =
        static_cast<std::uint64_t>(file.integer("general.alignment").value_or(32));
    if (alignment == 0 || alignment > kMaxAlignment || !std::has_single_bit(alignment)) {
        cursor.fail("general.alignment is not a sensible power of two");
    }
    const std::uint64_t dataBegin = (cursor.position() + alignment - 1) / alignment * alignment;
    const std::uint64_t dataSize = all.size() > dataBegin ? all.size() - dataBegin : 0;
    for (Placed& tensor : tensors) {
        const auto bytes = static_cast<std::uint64_t>(tensor.bytes);
        if (tensor.offset % alignment != 0 || tensor.offset > dataSize ||
            bytes > dataSize - tensor.offset) {
            throw Error("the data is misaligned or lies beyond the end of the file",
                        where + ", tensor " + printableName(tensor.view.name), kDamagedGguf);
        }
        tensor.view.bytes = all.subspan(dataBegin + tensor.offset, bytes);
        tensor.view.owner = file.m_mapping;
    }
    checkOverlaps(tensors, where);
    for (Placed& tensor : tensors) {
        file.m_tensors.push_back(std::move(tensor.view));
    }
    return file;
}

const TensorView* GgufFile::find(const std::string& name) const {
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : &m_tensors[found->second];
}

const GgufValue* GgufFile::value(std::string_view key) const {
    const auto found = m_metadata.find(key);
    return found == m_metadata.end() ? nullptr : &found->second;
}

namespace {

template <typename T>
const T* typed(const GgufValue* value, std::string_view key, const std::filesystem::path& path) {
    if (value == nullptr) {
        return nullptr;
    }
    if (const T* result = std::get_if<T>(value)) {
        return result;
    }
    throw Error("the metadata value " + std::string(key) + " has an unexpected type", path.string(),
                kDamagedGguf);
}

}  // namespace

std::optional<std::int64_t> GgufFile::integer(std::string_view key) const {
    const auto* result = typed<std::int64_t>(value(key), key, path());
    return result != nullptr ? std::optional(*result) : std::nullopt;
}

std::optional<double> GgufFile::number(std::string_view key) const {
    const auto* result = typed<double>(value(key), key, path());
    return result != nullptr ? std::optional(*result) : std::nullopt;
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
    const auto* result = typed<bool>(value(key), key, path());
    return result != nullptr ? std::optional(*result) : std::nullopt;
}

std::optional<std::string> GgufFile::string(std::string_view key) const {
    const auto* result = typed<std::string_view>(value(key), key, path());
    return result != nullptr ? std::optional(std::string(*result)) : std::nullopt;
}

const std::vector<std::string_view>* GgufFile::strings(std::string_view key) const {
    return typed<std::vector<std::string_view>>(value(key), key, path());
}

const std::vector<std::int64_t>* GgufFile::integers(std::string_view key) const {
    return typed<std::vector<std::int64_t>>(value(key), key, path());
}

const std::vector<double>* GgufFile::numbers(std::string_view key) const {
    return typed<std::vector<double>>(value(key), key, path());
}

}  // namespace cospadi
