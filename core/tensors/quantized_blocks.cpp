#include "core/tensors/quantized_blocks.h"

namespace cospadi {

namespace {

float half(const std::uint8_t* p) {
    return halfToFloat(static_cast<std::uint16_t>(p[0] | p[1] << 8));
}

float number(int value) { return static_cast<float>(value); }

// d (q − 8); low nibbles are elements 0–15, high nibbles 16–31.
void q4_0(const std::uint8_t* block, float* y) {
    const float d = half(block);
    for (int i = 0; i < 16; ++i) {
        y[i] = d * number((block[2 + i] & 15) - 8);
        y[i + 16] = d * number((block[2 + i] >> 4) - 8);
    }
}

// d q + m
void q4_1(const std::uint8_t* block, float* y) {
    const float d = half(block);
    const float m = half(block + 2);
    for (int i = 0; i < 16; ++i) {
        y[i] = d * number(block[4 + i] & 15) + m;
        y[i + 16] = d * number(block[4 + i] >> 4) + m;
    }
}

std::uint32_t word(const std::uint8_t* p) {
    return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 |
           static_cast<std::uint32_t>(p[2]) << 16 | static_cast<std::uint32_t>(p[3]) << 24;
}

int fifthBit(std::uint32_t high, int i) { return static_cast<int>(high >> i & 1U) << 4; }

void q5_0(const std::uint8_t* block, float* y) {
    const float d = half(block);
    const std::uint32_t high = word(block + 2);
    for (int i = 0; i < 16; ++i) {
        y[i] = d * number(((block[6 + i] & 15) | fifthBit(high, i)) - 16);
        y[i + 16] = d * number(((block[6 + i] >> 4) | fifthBit(high, i + 16)) - 16);
    }
}

void q5_1(const std::uint8_t* block, float* y) {
    const float d = half(block);
    const float m = half(block + 2);
    const std::uint32_t high = word(block + 4);
    for (int i = 0; i < 16; ++i) {
        y[i] = d * number((block[8 + i] & 15) | fifthBit(high, i)) + m;
        y[i + 16] = d * number((block[8 + i] >> 4) | fifthBit(high, i + 16)) + m;
    }
}

void q8_0(const std::uint8_t* block, float* y) {
    const float d = half(block);
    for (int i = 0; i < 32; ++i) {
        y[i] = d * number(static_cast<std::int8_t>(block[2 + i]));
    }
}

// 16 groups of 16: (d sc) q − (dmin m), 2-bit q.
void q2_K(const std::uint8_t* block, float* y) {
    const std::uint8_t* scales = block;
    const std::uint8_t* q = block + 16;
    const float d = half(block + 80);
    const float dmin = half(block + 82);
    for (int group = 0; group < 16; ++group) {
        const float scale = d * number(scales[group] & 15);
        const float minimum = dmin * number(scales[group] >> 4);
        const int shift = 2 * (group % 8 / 2);
        const std::uint8_t* part = q + 32 * (group / 8) + 16 * (group % 2);
        for (int i = 0; i < 16; ++i) {
            *y++ = scale * number(part[i] >> shift & 3) - minimum;
        }
    }
}

// 16 groups of 16: (d (sc − 32)) (q − 4·[high bit unset]), 2 + 1 bits, 6-bit scales.
void q3_K(const std::uint8_t* block, float* y) {
    const std::uint8_t* high = block;
    const std::uint8_t* q = block + 32;
    const std::uint8_t* scales = block + 96;
    const float d = half(block + 108);
    for (int group = 0; group < 16; ++group) {
        const int low4 = scales[group % 8] >> (4 * (group / 8)) & 15;
        const int high2 = scales[8 + group % 4] >> (2 * (group / 4)) & 3;
        const float scale = d * number((low4 | high2 << 4) - 32);
        const int shift = 2 * (group % 8 / 2);
        const int bit = 4 * (group / 8) + group % 8 / 2;
        const std::uint8_t* part = q + 32 * (group / 8) + 16 * (group % 2);
        const std::uint8_t* mask = high + 16 * (group % 2);
        for (int i = 0; i < 16; ++i) {
            const int value = (part[i] >> shift & 3) - ((mask[i] >> bit & 1) != 0 ? 0 : 4);
            *y++ = scale * number(value);
        }
    }
}

// The 6-bit scale and minimum of group j of 8, packed in 12 bytes.
void scaleAndMinimum(const std::uint8_t* s, int j, int& scale, int& minimum) {
    if (j < 4) {
        scale = s[j] & 63;
        minimum = s[j + 4] & 63;
    } else {
        scale = (s[j + 4] & 15) | (s[j - 4] >> 6) << 4;
        minimum = (s[j + 4] >> 4) | (s[j] >> 6) << 4;
    }
}

// 8 groups of 32: (d sc) q − (dmin m); high points to the fifth bits or is null.
void nibbleGroups(const std::uint8_t* block, const std::uint8_t* high, const std::uint8_t* q,
                  float* y) {
    const float d = half(block);
    const float dmin = half(block + 2);
    for (int group = 0; group < 8; ++group) {
        int scale = 0;
        int minimum = 0;
        scaleAndMinimum(block + 4, group, scale, minimum);
        const float groupScale = d * number(scale);
        const float groupMinimum = dmin * number(minimum);
        const std::uint8_t* part = q + 32 * (group / 2);
        for (int i = 0; i < 32; ++i) {
            int value = group % 2 == 0 ? part[i] & 15 : part[i] >> 4;
            if (high != nullptr) {
                value += (high[i] >> group & 1) << 4;
            }
            *y++ = groupScale * number(value) - groupMinimum;
        }
    }
}

void q4_K(const std::uint8_t* block, float* y) { nibbleGroups(block, nullptr, block + 16, y); }

void q5_K(const std::uint8_t* block, float* y) { nibbleGroups(block, block + 16, block + 48, y); }

// 16 groups of 16: (d sc) (q − 32), 4 + 2 bits, 8-bit scales.
void q6_K(const std::uint8_t* block, float* y) {
    const float d = half(block + 208);
    for (int part = 0; part < 2; ++part) {
        const std::uint8_t* low = block + 64 * part;
        const std::uint8_t* high = block + 128 + 32 * part;
        const std::uint8_t* scales = block + 192 + 8 * part;
        for (int quarter = 0; quarter < 4; ++quarter) {
            const std::uint8_t* nibbles = low + 32 * (quarter % 2);
            for (int i = 0; i < 32; ++i) {
                const int low4 = quarter < 2 ? nibbles[i] & 15 : nibbles[i] >> 4;
                const int value = (low4 | (high[i] >> (2 * quarter) & 3) << 4) - 32;
                const float scale =
                    d * number(static_cast<std::int8_t>(scales[2 * quarter + i / 16]));
                *y++ = scale * number(value);
            }
        }
    }
}

}  // namespace

BlockDequantizer blockDequantizer(DType type) {
    switch (type) {
        case DType::Q4_0:
            return q4_0;
        case DType::Q4_1:
            return q4_1;
        case DType::Q5_0:
            return q5_0;
        case DType::Q5_1:
            return q5_1;
        case DType::Q8_0:
            return q8_0;
        case DType::Q2_K:
            return q2_K;
        case DType::Q3_K:
            return q3_K;
        case DType::Q4_K:
            return q4_K;
        case DType::Q5_K:
            return q5_K;
        case DType::Q6_K:
            return q6_K;
        default:
            return nullptr;
    }
}

}  // namespace cospadi
