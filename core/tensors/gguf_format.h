// What readers and writers of GGUF files share: the numbers by which a file names the type of a
// metadata value (gguf.md in ggml's repository).
#pragma once

#include <cstdint>

namespace cospadi::gguf {

enum ValueType : std::uint32_t {
    kU8,
    kI8,
    kU16,
    kI16,
    kU32,
    kI32,
    kF32,
    kBool,
    kString,
    kArray,
    kU64,
    kI64,
    kF64,
};

}  // namespace cospadi::gguf
