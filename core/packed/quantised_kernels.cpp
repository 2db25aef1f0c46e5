#include "core/packed/quantised_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/packed/kernel_parts.h"

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define COSPADI_X86 1
#define COSPADI_AVX2_HALF __attribute__((target("avx2,fma,f16c")))
#endif

namespace cospadi {

namespace {

constexpr std::int64_t rowsOfWord(BlockCodes codes) { return 32 / codeBits(codes); }

std::uint16_t half(const std::uint8_t* bytes) {
    return static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8);
}

bool isFinite(std::uint16_t half) { return (half & 0x7c00U) != 0x7c00U; }

// −8 d. False where float16 has no such number.
bool timesMinusEight(std::uint16_t d, std::uint16_t& m) {
    const float value = -8 * halfToFloat(d);
    m = floatToHalf(value);
    return isFinite(m) && halfToFloat(m) == value;
}

// Low nibbles of eight bytes, one after the other.
std::uint32_t joinedNibbles(std::uint64_t bytes) {
    bytes &= 0x0f0f0f0f0f0f0f0fU;
    bytes = (bytes | bytes >> 4) & 0x00ff00ff00ff00ffU;
    bytes = (bytes | bytes >> 8) & 0x0000ffff0000ffffU;
    return static_cast<std::uint32_t>(bytes | bytes >> 16);
}

// q and the row that it is of, for the plain kernels.
template <typename Use>
void forCodes(const std::uint8_t* step, BlockCodes codes, std::int64_t column, const Use& use) {
    const std::int64_t perWord = rowsOfWord(codes);
    const int bits = codeBits(codes);
    for (std::int64_t row = 0; row < kPackedRows; ++row) {
        std::uint32_t word = 0;
        std::memcpy(
            &word,
            step + quantisedHeadBytes(codes) + row / perWord * kQuantisedWordBytes + 4 * column,
            sizeof word);
        const std::uint32_t code = word >> static_cast<unsigned>(row % perWord * bits);
        use(row, static_cast<float>(bits == 4 ? static_cast<int>(code & 15U)
                                              : static_cast<std::int8_t>(code & 255U) +
                                                    codeOffset(codes)));
    }
}

struct BlockScale {
    float d = 0, m = 0;
};

BlockScale scaleOf(const std::uint8_t* step, BlockCodes codes, std::int64_t column) {
    return {halfToFloat(half(step + 2 * column)),
            hasMinima(codes) ? halfToFloat(half(step + kBlockScaleBytes + 2 * column)) : 0.0F};
}

void dotPlainBlocks(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                    std::int64_t tokens, float* y, std::int64_t ldy) {
    for (std::int64_t group = first; group < last; ++group) {
        for (std::int64_t c = 0; c < a.columnsOf(group); ++c) {
            std::array<float, kMostPackedTokens> sums{};
            for (std::int64_t step = 0; step < a.steps; ++step) {
                const std::uint8_t* block = a.stepOf(group, step);
                const BlockScale scale = scaleOf(block, a.codes, c);
                forCodes(block, a.codes, c, [&](std::int64_t row, float code) {
                    for (std::int64_t t = 0; t < tokens; ++t) {
                        sums[static_cast<std::size_t>(t)] +=
                            (scale.d * code + scale.m) * x[t * a.rows() + step * kPackedRows + row];
                    }
                });
            }
            for (std::int64_t t = 0; t < tokens; ++t) {
                y[t * ldy + group * kPackedColumns + c] = sums[static_cast<std::size_t>(t)];
            }
        }
    }
}

void unpackPlainBlocks(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    const std::int64_t ld = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        for (std::int64_t step = 0; step < a.steps; ++step) {
            const std::uint8_t* block = a.stepOf(group, step);
            for (std::int64_t c = 0; c < kPackedColumns; ++c) {
                const BlockScale scale = scaleOf(block, a.codes, c);
                forCodes(block, a.codes, c, [&](std::int64_t row, float code) {
                    to[(step * kPackedRows + row) * ld + c] = scale.d * code + scale.m;
                });
            }
        }
    }
}

#ifdef COSPADI_X86

// x for codes that stay where they are in their words, and its sum over each block.
struct BlockInputs {
    std::vector<float> scaled;  // (rows, tokens), of nibbles
    std::vector<float> sums;    // (steps, tokens), for minima
};

// Of nibble j, whose code stands for 16ʲ times itself; the highest is shifted down.
constexpr std::array<float, 8> kNibbleScales = {1.0F,     0x1p-4F,  0x1p-8F,  0x1p-12F,
                                                0x1p-16F, 0x1p-20F, 0x1p-24F, 1.0F};

template <BlockCodes Codes>
COSPADI_AVX2_HALF void prepareInputs(const float* x, std::int64_t rows, std::int64_t tokens,
                                     BlockInputs& inputs) {
    const std::int64_t count = rows * tokens;
    if constexpr (Codes == BlockCodes::Nibbles) {
        inputs.scaled.resize(static_cast<std::size_t>(count));
    }
    inputs.sums.resize(static_cast<std::size_t>(count / kPackedRows));
    [[maybe_unused]] const __m256 scales = _mm256_loadu_ps(kNibbleScales.data());
    for (std::int64_t block = 0; block < count / kPackedRows; ++block) {
        __m256 sum = _mm256_setzero_ps();
        for (std::int64_t i = block * kPackedRows; i < (block + 1) * kPackedRows; i += 8) {
            const __m256 part = _mm256_loadu_ps(x + i);
            sum = _mm256_add_ps(sum, part);
            if constexpr (Codes == BlockCodes::Nibbles) {
                _mm256_storeu_ps(inputs.scaled.data() + i, _mm256_mul_ps(part, scales));
            }
        }
        alignas(32) std::array<float, 8> lanes;
        _mm256_store_ps(lanes.data(), sum);
        inputs.sums[static_cast<std::size_t>(block)] =
            ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
            ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
    }
}

// Code `Place` of each word: of nibbles times 16 to its place, but for the highest; of bytes times
// 2²⁴.
template <int Bits, int Place>
COSPADI_AVX2_HALF inline __m256 codesOf(__m256i words) {
    if constexpr (Bits == 4) {
        return _mm256_cvtepi32_ps(
            Place == 7 ? _mm256_srli_epi32(words, 28)
                       : _mm256_and_si256(words, _mm256_set1_epi32(15 << (4 * Place % 28))));
    } else {
        const __m256i high = Place == 3 ? words : _mm256_slli_epi32(words, 24 - 8 * Place);
        return _mm256_cvtepi32_ps(
            Place == 0 ? high
                       : _mm256_and_si256(high, _mm256_set1_epi32(static_cast<int>(0xff000000U))));
    }
}

constexpr float kByteScale = 0x1p-24F;

COSPADI_AVX2_HALF inline __m256 halves256(const std::uint8_t* bytes) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

constexpr std::int64_t kMostBlockTokens = 4;

// Adds one word's rows: sum[token][half][chain].
template <int Bits, int Tokens, int Chains, int Place>
COSPADI_AVX2_HALF inline void addRows(const __m256i words[kHalves], const float* x,
                                      std::int64_t rows, __m256 sum[Tokens][kHalves][Chains]) {
    if constexpr (Place < 32 / Bits) {
        const __m256 codes[kHalves] = {codesOf<Bits, Place>(words[0]),
                                       codesOf<Bits, Place>(words[1])};
        for (int t = 0; t < Tokens; ++t) {
            const __m256 input = _mm256_broadcast_ss(x + t * rows + Place);
            for (int half = 0; half < kHalves; ++half) {
                __m256& s = sum[t][half][Place % Chains];
                s = _mm256_fmadd_ps(codes[half], input, s);
            }
        }
        addRows<Bits, Tokens, Chains, Place + 1>(words, x, rows, sum);
    }
}

// sums: of x over the blocks, (steps, tokens), for minima.
template <BlockCodes Codes, int Tokens>
COSPADI_AVX2_HALF void dotBlocks256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                    const float* x, const float* sums, float* y, std::int64_t ldy) {
    constexpr int kChains = Tokens <= 2 ? 2 : 1;  // as many additions at once as there is room for
    constexpr int kBits = codeBits(Codes);
    constexpr std::int64_t kRows = rowsOfWord(Codes);
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        __m256 total[Tokens][kHalves];
        std::fill_n(&total[0][0], Tokens * kHalves, _mm256_setzero_ps());
        const std::uint8_t* step = a.stepOf(group, 0);
        for (std::int64_t i = 0; i < a.steps; ++i, step += a.stepBytes) {
            __m256 sum[Tokens][kHalves][kChains];
            std::fill_n(&sum[0][0][0], Tokens * kHalves * kChains, _mm256_setzero_ps());
            const std::uint8_t* word = step + quantisedHeadBytes(Codes);
            for (std::int64_t row = 0; row < kPackedRows;
                 row += kRows, word += kQuantisedWordBytes) {
                const auto* at = reinterpret_cast<const __m256i*>(word);
                const __m256i words[kHalves] = {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
                addRows<kBits, Tokens, kChains, 0>(words, x + i * kPackedRows + row, rows, sum);
            }
            for (int half = 0; half < kHalves; ++half) {
                const __m256 scale = halves256(step + 16 * half);
                const __m256 d =
                    kBits == 8 ? _mm256_mul_ps(scale, _mm256_set1_ps(kByteScale)) : scale;
                for (int t = 0; t < Tokens; ++t) {
                    __m256 s = sum[t][half][0];
                    if constexpr (kChains == 2) {
                        s = _mm256_add_ps(s, sum[t][half][1]);
                    }
                    total[t][half] = _mm256_fmadd_ps(s, d, total[t][half]);
                    if constexpr (hasMinima(Codes)) {
                        const __m256 m = _mm256_fmadd_ps(
                            scale, _mm256_set1_ps(static_cast<float>(codeOffset(Codes))),
                            halves256(step + kBlockScaleBytes + 16 * half));
                        total[t][half] = _mm256_fmadd_ps(
                            m, _mm256_broadcast_ss(sums + t * a.steps + i), total[t][half]);
                    }
                }
            }
        }
        for (int t = 0; t < Tokens; ++t) {
            storeColumns(total[t], a.columnsOf(group), y + t * ldy + group * kPackedColumns);
        }
    }
}

template <BlockCodes Codes>
void dotBlocksFor256(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                     std::int64_t tokens, float* y, std::int64_t ldy) {
    thread_local BlockInputs inputs;  // grown, never shrunk
    if constexpr (hasMinima(Codes)) {
        prepareInputs<Codes>(x, a.rows(), tokens, inputs);
    }
    if constexpr (Codes == BlockCodes::Nibbles) {
        x = inputs.scaled.data();
    }
    for (std::int64_t t = 0; t < tokens; t += kMostBlockTokens) {
        withTokens<kMostBlockTokens>(std::min(kMostBlockTokens, tokens - t), [&](auto count) {
            dotBlocks256<Codes, count()>(a, first, last, x + t * a.rows(),
                                         inputs.sums.data() + t * a.steps, y + t * ldy, ldy);
        });
    }
}

template <BlockCodes Codes, int Place>
COSPADI_AVX2_HALF inline void storeRows(__m256i words, __m256 d, __m256 m, float* to,
                                        std::int64_t ld) {
    if constexpr (Place < rowsOfWord(Codes)) {
        constexpr int kBits = codeBits(Codes);
        const float scale =
            kBits == 4 ? kNibbleScales[static_cast<std::size_t>(Place)] : kByteScale;
        const __m256 q = _mm256_fmadd_ps(codesOf<kBits, Place>(words), _mm256_set1_ps(scale),
                                         _mm256_set1_ps(static_cast<float>(codeOffset(Codes))));
        _mm256_storeu_ps(to + Place * ld, _mm256_fmadd_ps(q, d, m));
        storeRows<Codes, Place + 1>(words, d, m, to, ld);
    }
}

template <BlockCodes Codes>
COSPADI_AVX2_HALF void unpackBlocks256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                       float* to) {
    constexpr std::int64_t kRows = rowsOfWord(Codes);
    const std::int64_t ld = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        const std::uint8_t* step = a.stepOf(group, 0);
        for (std::int64_t i = 0; i < a.steps; ++i, step += quantisedStepBytes(Codes)) {
            for (int half = 0; half < 2; ++half) {
                const __m256 d = halves256(step + 16 * half);
                const __m256 m = hasMinima(Codes) ? halves256(step + kBlockScaleBytes + 16 * half)
                                                  : _mm256_setzero_ps();
                const std::uint8_t* word = step + quantisedHeadBytes(Codes) + 32 * half;
                for (std::int64_t row = 0; row < kPackedRows;
                     row += kRows, word += kQuantisedWordBytes) {
                    storeRows<Codes, 0>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(word)),
                                        d, m, to + (i * kPackedRows + row) * ld + 8 * half, ld);
                }
            }
        }
    }
}

#endif

}  // namespace

BlockCodes blockCodesOf(DType type) {
    return type == DType::Q4_0 || type == DType::Q4_1 ? BlockCodes::Nibbles
           : type == DType::Q8_0                      ? BlockCodes::Bytes
                                                      : BlockCodes::None;
}

bool packBlock(BlockCodes codes, const CodeBlock& block, std::int64_t column, std::uint8_t* step) {
    const std::uint16_t d = floatToHalf(block.d);
    const std::uint16_t m = floatToHalf(block.m);
    std::memcpy(step + 2 * column, &d, sizeof d);
    std::memcpy(step + kBlockScaleBytes + 2 * column, &m, sizeof m);
    std::uint8_t* words = step + quantisedHeadBytes(codes) + 4 * column;
    const auto bits = static_cast<unsigned>(codeBits(codes));
    const auto perWord = static_cast<unsigned>(rowsOfWord(codes));
    for (unsigned row = 0; row < kPackedRows; row += perWord, words += kQuantisedWordBytes) {
        std::uint32_t word = 0;
        for (unsigned i = 0; i < perWord; ++i) {
            const auto code = static_cast<std::uint32_t>(block.q[row + i] - codeOffset(codes));
            word |= (code & ((1U << bits) - 1)) << (i * bits);
        }
        std::memcpy(words, &word, sizeof word);
    }
    return isFinite(d) && isFinite(m) && halfToFloat(d) == block.d && halfToFloat(m) == block.m;
}

bool packBlocks(DType type, const std::byte* blocks, std::int64_t steps, std::int64_t column,
                std::uint8_t* group) {
    const BlockCodes kind = blockCodesOf(type);
    const auto* block = reinterpret_cast<const std::uint8_t*>(blocks);
    bool whole = true;
    for (std::int64_t i = 0; i < steps;
         ++i, block += blockBytes(type), group += quantisedStepBytes(kind)) {
        const std::uint16_t d = half(block);
        std::memcpy(group + 2 * column, &d, sizeof d);
        whole = whole && isFinite(d);
        if (hasMinima(kind)) {
            std::uint16_t m = half(block + 2);
            whole = type == DType::Q4_1 ? whole && isFinite(m) : timesMinusEight(d, m) && whole;
            std::memcpy(group + kBlockScaleBytes + 2 * column, &m, sizeof m);
        }
        std::uint8_t* words = group + quantisedHeadBytes(kind) + 4 * column;
        const std::uint8_t* codes = block + (type == DType::Q4_1 ? 4 : 2);
        if (kind == BlockCodes::Bytes) {
            for (std::int64_t word = 0; word < 8; ++word) {
                std::memcpy(words + word * kQuantisedWordBytes, codes + 4 * word, 4);
            }
            continue;
        }
        for (std::int64_t word = 0; word < 4; ++word) {  // low nibbles are rows 0 to 15
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, codes + 8 * (word % 2), sizeof bytes);
            const std::uint32_t joined = joinedNibbles(word < 2 ? bytes : bytes >> 4);
            std::memcpy(words + word * kQuantisedWordBytes, &joined, sizeof joined);
        }
    }
    return whole;
}

void quantisedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                  std::int64_t last, const float* x, std::int64_t tokens, float* y,
                  std::int64_t ldy) {
#ifdef COSPADI_X86
    if (instructions != PackedInstructions::Plain) {
        return withBlockCodes(a.codes, [&](auto codes) {
            dotBlocksFor256<codes()>(a, first, last, x, tokens, y, ldy);
        });
    }
#endif
    static_cast<void>(instructions);
    dotPlainBlocks(a, first, last, x, tokens, y, ldy);
}

void quantisedUnpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                     std::int64_t last, float* to) {
#ifdef COSPADI_X86
    if (instructions != PackedInstructions::Plain) {
        return withBlockCodes(a.codes,
                              [&](auto codes) { unpackBlocks256<codes()>(a, first, last, to); });
    }
#endif
    static_cast<void>(instructions);
    unpackPlainBlocks(a, first, last, to);
}

}  // namespace cospadi
