#include "core/tensors/dtype.h"

#include <bit>
#include <cstring>
#include <string>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/tensors/quantized_blocks.h"

namespace cospadi {

namespace {

struct Facts {
    std::string_view name;
    std::int64_t elements;
    std::int64_t bytes;
    bool floatLike;
};

Facts facts(DType type) {
    switch (type) {
        case DType::F64:
            return {"F64", 1, 8, true};
        case DType::F32:
            return {"F32", 1, 4, true};
        case DType::F16:
            return {"F16", 1, 2, true};
        case DType::BF16:
            return {"BF16", 1, 2, true};
        case DType::I64:
            return {"I64", 1, 8, false};
        case DType::I32:
            return {"I32", 1, 4, false};
        case DType::I16:
            return {"I16", 1, 2, false};
        case DType::I8:
            return {"I8", 1, 1, false};
        case DType::U8:
            return {"U8", 1, 1, false};
        case DType::Bool:
            return {"BOOL", 1, 1, false};
        case DType::Q4_0:
            return {"Q4_0", 32, 18, true};
        case DType::Q4_1:
            return {"Q4_1", 32, 20, true};
        case DType::Q5_0:
            return {"Q5_0", 32, 22, true};
        case DType::Q5_1:
            return {"Q5_1", 32, 24, true};
        case DType::Q8_0:
            return {"Q8_0", 32, 34, true};
        case DType::Q2_K:
            return {"Q2_K", 256, 84, true};
        case DType::Q3_K:
            return {"Q3_K", 256, 110, true};
        case DType::Q4_K:
            return {"Q4_K", 256, 144, true};
        case DType::Q5_K:
            return {"Q5_K", 256, 176, true};
        case DType::Q6_K:
            return {"Q6_K", 256, 210, true};
    }
    return {"?", 1, 1, false};
}

template <typename T>
T load(const std::byte* source) {
    T value;
    std::memcpy(&value, source, sizeof value);
    return value;
}

}  // namespace

std::string_view dtypeName(DType type) { return facts(type).name; }
std::int64_t blockElements(DType type) { return facts(type).elements; }
std::int64_t blockBytes(DType type) { return facts(type).bytes; }
bool isFloatLike(DType type) { return facts(type).floatLike; }

void dequantize(DType type, const std::byte* source, std::int64_t count, float* target) {
    if (count <= 0) {
        return;  // an empty tensor's pointers may be null
    }
    switch (type) {
        case DType::F32:
            std::memcpy(target, source, static_cast<std::size_t>(count) * sizeof(float));
            return;
        case DType::F64:
            for (std::int64_t i = 0; i < count; ++i) {
                target[i] = static_cast<float>(load<double>(source + 8 * i));
            }
            return;
        case DType::F16:
            for (std::int64_t i = 0; i < count; ++i) {
                target[i] = halfToFloat(load<std::uint16_t>(source + 2 * i));
            }
            return;
        case DType::BF16:
            for (std::int64_t i = 0; i < count; ++i) {
                target[i] = bfloat16ToFloat(load<std::uint16_t>(source + 2 * i));
            }
            return;
        default:
            break;
    }
    if (!isFloatLike(type)) {
        throw Error("is not a floating-point type", std::string(dtypeName(type)),
                    "weights must be floating-point or quantised");
    }
    const BlockDequantizer block = blockDequantizer(type);
    const std::int64_t elements = blockElements(type);
    const std::int64_t bytes = blockBytes(type);
    for (std::int64_t i = 0; i < count / elements; ++i) {
        block(reinterpret_cast<const std::uint8_t*>(source) + i * bytes, target + i * elements);
    }
}

float halfToFloat(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31U;
    const std::uint32_t mantissa = bits & 0x3ffU;
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t widened = exponent == 31 ? 255U : exponent + 112U;
    return std::bit_cast<float>(sign | widened << 23 | mantissa << 13);
}

float bfloat16ToFloat(std::uint16_t bits) { return floatFromBf16(bits); }

std::uint16_t floatToBfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U) {
        return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
    }
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

std::uint16_t floatToHalf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) {
        return static_cast<std::uint16_t>(sign | 0x7e00U);
    }
    if (magnitude >= 0x477ff000U) {
        return static_cast<std::uint16_t>(sign | 0x7c00U);  // rounds to infinity
    }
    if (magnitude < 0x38800000U) {
        // Subnormal halves: adding 0.5 lets the float unit round to multiples of 2^-24.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) & 0x7ffU));
    }
    const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U) - 0x38000000U;
    return static_cast<std::uint16_t>(sign | rounded >> 13);
}

}  // namespace cospadi
