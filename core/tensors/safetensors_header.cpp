#include "core/tensors/safetensors_header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/tensors/bounded_json.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxHeader = 100'000'000;
constexpr int kMaxDepth = 4;  // {tensor: {shape: [n]}}
constexpr const char* kDamagedSafetensors =
    "the file is damaged or not a safetensors file; fetch it again";

[[noreturn]] void fail(const std::string& where, const std::string& what) {
    throw Error(what, where, kDamagedSafetensors);
}

Json parseJson(std::string_view text, const std::string& where) {
    if (isNestedDeeper(text, kMaxDepth)) {
        fail(where, "the header is nested too deeply");
    }
    std::array<std::set<std::string>, kMaxDepth + 1> keys;  // of the objects that are open
    std::size_t before = 0;
    forEachKey(text, [&](int depth, const std::string& key) {
        const auto level = static_cast<std::size_t>(depth);
        for (; before > level; --before) {
            keys[before].clear();
        }
        before = level;
        if (!keys[level].insert(key).second) {
            fail(where, "the name " + printableName(key) + " occurs twice");
        }
    });
    try {
        return Json::parse(text);
    } catch (const Json::exception&) {
        fail(where, "the header is not valid JSON");
    }
}

std::optional<DType> dtypeFromName(const std::string& name) {
    for (const DType type : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64,
                             DType::I32, DType::I16, DType::I8, DType::U8, DType::Bool}) {
        if (dtypeName(type) == name) {
            return type;
        }
    }
    return std::nullopt;
}

std::int64_t size(const Json& value, const std::string& where) {
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        fail(where, "a size or offset is not a non-negative integer");
    }
    return value.get<std::int64_t>();
}

TensorView tensor(const std::string& name, const Json& entry, std::span<const std::byte> data,
                  const std::shared_ptr<const MappedFile>& file) {
    const std::string where = file->path().string() + ", tensor " + printableName(name);
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
        !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
        fail(where, "dtype, shape or data_offsets are missing or of the wrong type");
    }
    const std::optional<DType> type = dtypeFromName(entry["dtype"].get<std::string>());
    if (!type) {
        throw Error(
            "the type " + printableName(entry["dtype"].get<std::string>()) + " is not supported",
            where, "supported: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL");
    }
    TensorView view;
    view.name = name;
    view.dtype = *type;
    view.file = file->path().string();
    view.owner = file;
    std::int64_t bytes = blockBytes(*type);
    for (const Json& extent : entry["shape"]) {
        view.shape.push_back(size(extent, where));
        bytes = checkedProduct(bytes, view.shape.back(), where);
    }
    const std::int64_t begin = size(entry["data_offsets"][0], where);
    const std::int64_t end = size(entry["data_offsets"][1], where);
    if (end < begin || static_cast<std::uint64_t>(end) > data.size()) {
        fail(where, "the data offsets are reversed or lie beyond the end of the file");
    }
    if (end - begin != bytes) {
        fail(where, "the data offsets do not fit the shape");
    }
    view.bytes = data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(bytes));
    return view;
}

}  // namespace

SafetensorsHeader parseSafetensorsHeader(const std::shared_ptr<const MappedFile>& file) {
    static_assert(std::endian::native == std::endian::little);
    const std::string where = file->path().string();
    const std::span<const std::byte> all = file->bytes();
    std::uint64_t length = 0;
    if (all.size() < sizeof length) {
        fail(where, "is shorter than a safetensors header");
    }
    std::memcpy(&length, all.data(), sizeof length);
    if (length > kMaxHeader) {
        fail(where, "declares a header longer than 100 MB");
    }
    if (length > all.size() - sizeof length) {
        fail(where, "ends inside its header");
    }
    const std::span<const std::byte> data = all.subspan(sizeof length + length);
    const Json json =
        parseJson({reinterpret_cast<const char*>(all.data()) + sizeof length, length}, where);
    if (!json.is_object()) {
        fail(where, "the header is not a JSON object");
    }

    SafetensorsHeader header;
    for (const auto& [name, entry] : json.items()) {
        if (name != "__metadata__") {
            header.tensors.push_back(tensor(name, entry, data, file));
            continue;
        }
        if (!entry.is_object()) {
            fail(where, "__metadata__ is not an object");
        }
        for (const auto& [key, value] : entry.items()) {
            if (!value.is_string()) {
                fail(where, "__metadata__ contains values that are not strings");
            }
            header.metadata[key] = value.get<std::string>();
        }
    }
    std::stable_sort(header.tensors.begin(), header.tensors.end(),
                     [](const TensorView& a, const TensorView& b) {
                         return a.bytes.data() != b.bytes.data() ? a.bytes.data() < b.bytes.data()
                                                                 : a.bytes.size() < b.bytes.size();
                     });
    const std::byte* next = data.data();
    for (const TensorView& view : header.tensors) {
        if (view.bytes.data() != next) {
            fail(where + ", tensor " + printableName(view.name),
                 "the data overlaps or leaves a hole");
        }
        next += view.bytes.size();
    }
    if (next != data.data() + data.size()) {
        fail(where, "contains data that belongs to no tensor");
    }
    return header;
}

}  // namespace cospadi
