// Fields of a protobuf message, one after the other: all that reading the records of others takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

struct ProtobufField {
    std::uint32_t number = 0;
    std::uint64_t integer = 0;  // of a varint, or the bits of a fixed one
    std::string_view bytes;     // of a string, a message or packed values: a view into the message

    std::int64_t asSigned() const { return static_cast<std::int64_t>(integer); }
    float asFloat() const;    // of fixed 32 bits
    double asDouble() const;  // of fixed 64 bits
    std::string text() const { return std::string(bytes); }
};

// Throws std::runtime_error where the bytes are no message.
std::vector<ProtobufField> protobufFields(std::string_view message);

// Little-endian numbers out of bytes that have to hold them; 0 where they end before.
std::uint64_t littleEndian(std::string_view bytes, std::size_t offset, std::size_t width);

}  // namespace cospadi
