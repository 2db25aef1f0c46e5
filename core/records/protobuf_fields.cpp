#include "core/records/protobuf_fields.h"

#include <bit>
#include <stdexcept>

namespace cospadi {

namespace {

constexpr unsigned kBitsAByte = 7;  // of a varint
constexpr unsigned kMostShift = 63;

std::uint64_t takeVarint(std::string_view message, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= kMostShift; shift += kBitsAByte) {
        if (at >= message.size()) {
            break;
        }
        const auto byte = static_cast<unsigned char>(message[at++]);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
    throw std::runtime_error("a number is not terminated");
}

std::string_view take(std::string_view message, std::size_t& at, std::uint64_t count) {
    if (count > message.size() - at) {
        throw std::runtime_error("a field extends beyond the end");
    }
    const std::string_view bytes = message.substr(at, count);
    at += count;
    return bytes;
}

}  // namespace

float ProtobufField::asFloat() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(integer));
}

double ProtobufField::asDouble() const { return std::bit_cast<double>(integer); }

std::uint64_t littleEndian(std::string_view bytes, std::size_t offset, std::size_t width) {
    std::uint64_t value = 0;
    if (offset + width > bytes.size()) {
        return 0;
    }
    for (std::size_t i = width; i-- > 0;) {
        value = value << 8U | static_cast<unsigned char>(bytes[offset + i]);
    }
    return value;
}

std::vector<ProtobufField> protobufFields(std::string_view message) {
    constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
    std::vector<ProtobufField> fields;
    for (std::size_t at = 0; at < message.size();) {
        const std::uint64_t key = takeVarint(message, at);
        ProtobufField field;
        field.number = static_cast<std::uint32_t>(key >> 3U);
        switch (key & 7U) {
            case kVarint:
                field.integer = takeVarint(message, at);
                break;
            case kFixed64:
                field.integer = littleEndian(take(message, at, 8), 0, 8);
                break;
            case kBytes: {
                const std::uint64_t length = takeVarint(message, at);
                field.bytes = take(message, at, length);
                break;
            }
            case kFixed32:
                field.integer = littleEndian(take(message, at, 4), 0, 4);
                break;
            default:
                throw std::runtime_error("a field has an unknown type");
        }
        fields.push_back(field);
    }
    return fields;
}

}  // namespace cospadi
