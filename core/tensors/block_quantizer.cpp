#include "core/tensors/block_quantizer.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/tensors/half_scale.h"
#include "core/tensors/k_block_quantizer.h"

namespace cospadi {

namespace {

constexpr int kElements = 32;

struct Block {
    const float* x;
    std::uint8_t* bytes;
    const std::string& where;

    void putHalf(int at, float value) const { storeHalfScale(value, bytes + at, where); }
};

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
    const float id = inverseScale(d);
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
    const float id = inverseScale(d);
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
    const float id = inverseScale(d);
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
        case DType::Q4_K:
            return quantizeToLines(4, block.x, block.bytes, block.where);
        case DType::Q5_K:
            return quantizeToLines(5, block.x, block.bytes, block.where);
        case DType::Q6_K:
            return quantizeToScales(block.x, block.bytes, block.where);
        default:
            throw Error("cannot be written as " + std::string(dtypeName(type)), block.where,
                        "this is a bug; please report it");
    }
}

}  // namespace

const std::vector<DType>& writableBlockTypes() {
    static const std::vector<DType> types = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                                             DType::Q8_0, DType::Q4_K, DType::Q5_K, DType::Q6_K};
    return types;
}

bool isWritableBlockType(DType type) {
    const std::vector<DType>& types = writableBlockTypes();
    return std::find(types.begin(), types.end(), type) != types.end();
}

void quantize(DType type, const float* source, std::int64_t count, std::byte* target,
              const std::string& where) {
    if (!std::all_of(source, source + count, [](float value) { return std::isfinite(value); })) {
        throw Error("contains NaN or infinity, which no block can represent", where,
                    "export with --dtype f32 to inspect it, and find its cause");
    }
    auto* bytes = reinterpret_cast<std::uint8_t*>(target);
    const std::int64_t elements = blockElements(type);
    for (std::int64_t i = 0; i < count / elements; ++i) {
        quantizeBlock(type, {source + i * elements, bytes + i * blockBytes(type), where});
    }
}

}  // namespace cospadi
