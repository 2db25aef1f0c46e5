#include "core/tensors/gguf_cursor.h"

#include <vector>

#include "core/base/error.h"
#include "core/tensors/gguf_format.h"

namespace cospadi {

namespace {

std::uint64_t smallestSize(std::uint32_t type) {
    switch (type) {
        case gguf::kU8:
        case gguf::kI8:
        case gguf::kBool:
            return 1;
        case gguf::kU16:
        case gguf::kI16:
            return 2;
        case gguf::kU32:
        case gguf::kI32:
        case gguf::kF32:
            return 4;
        default:
            return 8;
    }
}

}  // namespace

void GgufCursor::fail(const std::string& what) const { throw Error(what, m_where, kDamagedGguf); }

std::string_view GgufCursor::readString() {
    const auto length = read<std::uint64_t>();
    if (length > remaining()) {
        fail("a string is longer than the file");
    }
    const auto* text = reinterpret_cast<const char*>(m_bytes.data() + m_position);
    m_position += length;
    return {text, length};
}

std::int64_t GgufCursor::readInteger(std::uint32_t type) {
    switch (type) {
        case gguf::kU8:
            return read<std::uint8_t>();
        case gguf::kI8:
            return read<std::int8_t>();
        case gguf::kU16:
            return read<std::uint16_t>();
        case gguf::kI16:
            return read<std::int16_t>();
        case gguf::kU32:
            return read<std::uint32_t>();
        case gguf::kI32:
            return read<std::int32_t>();
        case gguf::kI64:
            return read<std::int64_t>();
        case gguf::kBool:
            return read<std::uint8_t>() != 0 ? 1 : 0;
        case gguf::kU64: {
            const auto value = read<std::uint64_t>();
            if (value > static_cast<std::uint64_t>(INT64_MAX)) {
                fail("a number is too large");
            }
            return static_cast<std::int64_t>(value);
        }
        default:
            fail("a metadata value has an unknown type");
    }
}

double GgufCursor::readNumber(std::uint32_t type) {
    return type == gguf::kF32 ? static_cast<double>(read<float>()) : read<double>();
}

GgufValue GgufCursor::readArray() {
    const auto type = read<std::uint32_t>();
    const auto count = read<std::uint64_t>();
    if (type == gguf::kArray || type > gguf::kF64) {
        fail("an array has an unsupported element type");
    }
    if (count > remaining() / smallestSize(type)) {
        fail("an array is longer than the file");
    }
    if (type == gguf::kString) {
        std::vector<std::string_view> strings;
        strings.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            strings.push_back(readString());
        }
        return strings;
    }
    if (type == gguf::kF32 || type == gguf::kF64) {
        std::vector<double> numbers(count);
        for (double& value : numbers) {
            value = readNumber(type);
        }
        return numbers;
    }
    std::vector<std::int64_t> integers(count);
    for (std::int64_t& value : integers) {
        value = readInteger(type);
    }
    return integers;
}

GgufValue GgufCursor::readValue() {
    const auto type = read<std::uint32_t>();
    switch (type) {
        case gguf::kF32:
        case gguf::kF64:
            return readNumber(type);
        case gguf::kBool:
            return read<std::uint8_t>() != 0;
        case gguf::kString:
            return readString();
        case gguf::kArray:
            return readArray();
        default:
            return readInteger(type);
    }
}

}  // namespace cospadi
