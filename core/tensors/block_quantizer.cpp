#include "core/tensors/block_quantizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr int kElements = 32;
constexpr float kLargestScale = 65504;  // of float16

struct Block {
    const float* x;
    std::uint8_t* bytes;
    const std::string& where;

    void putHalf(int at, float value) const {
        if (std::abs(value) > kLargestScale) {
            throw Error(
                fmt::format("a block of weights has the scale {}, which float16 cannot", value),
                where, "export with --dtype bf16 or f32");
        }
        const std::uint16_t half = floatToHalf(value);
        bytes[at] = static_cast<std::uint8_t>(half & 0xFFU);
        bytes[at + 1] = static_cast<std::uint8_t>(half >> 8U);
    }
};

// 0 for a scale so small that float16 has 0 for it anyway.
float inverse(float scale) { return std::isfinite(1 / scale) ? 1 / scale : 0; }

// Low nibbles are elements 0–15, high nibbles 16–31; the fifth bits of all stand before them.
void putCodes(const std::uint8_t (&codes)[kElements], int bits, std::uint8_t* target) {
    if (bits == 5) {
        for (int byte = 0; byte < 4; ++byte) {
            unsigned fifths = 0;
            for (int i = 0; i < 8; ++i) {
                fifths |= static_cast<unsigned>(codes[8 * byte + i] >> 4) << i;
            }
            *target++ = static_cast<std::uint8_t>(fifths);
        }
    }
    for (int i = 0; i < kElements / 2; ++i) {
        *target++ = static_cast<std::uint8_t>((codes[i] & 15) | (codes[i + 16] & 15) << 4);
    }
}

// x ≈ d (q − 2^(bits − 1)): the value that is largest in size, with its sign, is the lowest code.
void quantizeAroundZero(int bits, const Block& block) {
    const float largest = *std::max_element(
        block.x, block.x + kElements, [](float a, float b) { return std::abs(a) < std::abs(b); });
    const int half = 1 << (bits - 1);
    const float d = largest / static_cast<float>(-half);
    const float id = inverse(d);
    std::uint8_t codes[kElements];
    for (int i = 0; i < kElements; ++i) {
        const float q = std::trunc(block.x[i] * id + (static_cast<float>(half) + 0.5F));
        codes[i] = static_cast<std::uint8_t>(std::min(q, static_cast<float>(2 * half - 1)));
    }
    block.putHalf(0, d);
    putCodes(codes, bits, block.bytes + 2);
}

// x ≈ d q + m
void quantizeAboveMinimum(int bits, const Block& block) {
    const auto [least, most] = std::minmax_element(block.x, block.x + kElements);
    const auto top = static_cast<float>((1 << bits) - 1);
    const float m = *least;
    const float d = (*most - m) / top;
    const float id = inverse(d);
    std::uint8_t codes[kElements];
    for (int i = 0; i < kElements; ++i) {
        const float q = std::trunc((block.x[i] - m) * id + 0.5F);
        codes[i] = static_cast<std::uint8_t>(std::min(q, top));
    }
    block.putHalf(0, d);
    block.putHalf(2, m);
    putCodes(codes, bits, block.bytes + 4);
}

void quantizeToBytes(const Block& block) {
    float largest = 0;
    for (int i = 0; i < kElements; ++i) {
        largest = std::max(largest, std::abs(block.x[i]));
    }
    const float d = largest / 127;
    const float id = inverse(d);
    block.putHalf(0, d);
    for (int i = 0; i < kElements; ++i) {
        block.bytes[2 + i] =
            static_cast<std::uint8_t>(static_cast<std::int8_t>(std::round(block.x[i] * id)));
    }
}

void quantizeBlock(DType type, const Block& block) {
    switch (type) {
        case DType::Q4_0:
            return quantizeAroundZero(4, block);
        case DType::Q5_0:
            return quantizeAroundZero(5, block);
        case DType::Q4_1:
            return quantizeAboveMinimum(4, block);
        case DType::Q5_1:
            return quantizeAboveMinimum(5, block);
        case DType::Q8_0:
            return quantizeToBytes(block);
        default:
            throw Error("cannot be written as " + std::string(dtypeName(type)), block.where,
                        "this is a bug; please report it");
    }
}

}  // namespace

const std::vector<DType>& writableBlockTypes() {
    static const std::vector<DType> types = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                                             DType::Q8_0};
    return types;
}

bool isWritableBlockType(DType type) {
    const std::vector<DType>& types = writableBlockTypes();
    return std::find(types.begin(), types.end(), type) != types.end();
}

void quantize(DType type, const float* source, std::int64_t count, std::byte* target,
              const std::string& where) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(target);
    for (std::int64_t i = 0; i < count / kElements; ++i) {
        quantizeBlock(type, {source + i * kElements, bytes + i * blockBytes(type), where});
    }
}

}  // namespace cospadi
