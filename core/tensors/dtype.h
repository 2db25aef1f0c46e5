// Element types of tensors in safetensors and GGUF files, and their exact widening to float32.
//
// Quantised GGUF types store elements in blocks (blockElements elements in blockBytes bytes); for
// plain types a block is one element. dequantize() gives bit for bit what the Python package `gguf`
// gives: every product and sum is a separate float32 operation in the order of its definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cospadi {

enum class DType {
    F64,
    F32,
    F16,
    BF16,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
};

// "F32", "BF16", "Q4_1", … as safetensors and GGUF spell them.
std::string_view dtypeName(DType type);

std::int64_t blockElements(DType type);
std::int64_t blockBytes(DType type);

// True where dequantize() knows the type: all floating and quantised ones.
bool isFloatLike(DType type);

// count elements (a multiple of blockElements) from source, which needs no alignment, to target.
// Throws cospadi::Error for integer and boolean types.
void dequantize(DType type, const std::byte* source, std::int64_t count, float* target);

float halfToFloat(std::uint16_t bits);
float bfloat16ToFloat(std::uint16_t bits);
// Round to nearest, ties to even; NaN stays NaN.
std::uint16_t floatToBfloat16(float value);
std::uint16_t floatToHalf(float value);

}  // namespace cospadi
