#include "core/packed/avx512_kernels.h"

#if defined(__x86_64__)

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>

#include "core/packed/kernel_parts.h"

#define COSPADI_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

namespace cospadi {

namespace {

// In values. Masked groups are read in uneven steps, which the processor guesses badly.
constexpr std::int64_t kReadAhead = 1024;

// How the values of a masked line come to their places: by one expand; or every other line by a
// table, eight entries at a time. On AMD's Zen 4 and 5 an expand keeps its unit busy for some eight
// cycles, while shuffles go on beside it (decision 4): 2.1 ns a line, and 1.0 by turns.
enum class Placing { None, Expand, ByTurns };

Placing bestPlacing() {
    static const Placing best = __builtin_cpu_is("amd") != 0 ? Placing::ByTurns : Placing::Expand;
    return best;
}

constexpr int kByte = 8;  // entries

// For every mask of eight bits the sources of eight words as bytes; 0x80 where an entry is zero.
struct Shuffles {
    alignas(64) std::array<std::array<std::uint8_t, 16>, 256> of;
};
constexpr Shuffles kShuffles = [] {
    Shuffles table{};
    for (std::size_t mask = 0; mask < 256; ++mask) {
        std::uint8_t source = 0;
        for (std::size_t i = 0; i < kByte; ++i) {
            const bool set = (mask >> i & 1U) != 0;
            table.of[mask][2 * i] = set ? source : 0x80;
            table.of[mask][2 * i + 1] = set ? static_cast<std::uint8_t>(source + 1) : 0x80;
            source = static_cast<std::uint8_t>(source + (set ? 2 : 0));
        }
    }
    return table;
}();

COSPADI_AVX512 inline __m128i shuffled(const std::uint16_t* values, std::uint32_t byte) {
    const auto* table = reinterpret_cast<const __m128i*>(kShuffles.of[byte & 0xffU].data());
    return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)),
                            _mm_load_si128(table));
}

COSPADI_AVX512 inline __m512i shuffledLine(std::uint32_t mask, const std::uint16_t* values) {
    const auto before = [mask, values](std::uint32_t entries) COSPADI_AVX512 {
        return values + _mm_popcnt_u32(mask & ((1U << entries) - 1U));
    };
    const __m128i first = shuffled(values, mask);
    const __m128i second = shuffled(before(8), mask >> 8U);
    const __m128i third = shuffled(before(16), mask >> 16U);
    const __m128i fourth = shuffled(before(24), mask >> 24U);
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(third), fourth, 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// The entries of a line; moves `values` on. `turn` counts lines.
template <Placing How>
COSPADI_AVX512 inline __m512i line512(const std::uint32_t* mask, const std::uint16_t*& values,
                                      std::int64_t turn) {
    const std::uint16_t* own = values;
    if constexpr (How == Placing::None) {
        _mm_prefetch(reinterpret_cast<const char*>(own + kReadAhead), _MM_HINT_T0);
        values += kPackedEntries;
        return _mm512_loadu_si512(own);
    } else {
        _mm_prefetch(reinterpret_cast<const char*>(own + kReadAhead), _MM_HINT_T0);
        values += _mm_popcnt_u32(*mask);
        if (How == Placing::ByTurns && turn % 2 != 0) {
            return shuffledLine(*mask, own);
        }
        return _mm512_maskz_expand_epi16(*mask, _mm512_loadu_si512(own));
    }
}

template <Placing How, int Tokens>
COSPADI_AVX512 void dotOf(const PackedGroups& a, std::int64_t first, std::int64_t last,
                          const float* x, float* y, std::int64_t ldy) {
    constexpr int kChains = Tokens < 3 ? 4 / Tokens : 1;  // sums that do not wait for each other
    constexpr int kAtOnce = std::max(kChains, 2);         // lines, whose turns are known then
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint16_t* values = a.valuesOf(group);
        const std::uint32_t* mask = a.maskOf(group);
        __m512 even[Tokens][kChains];
        __m512 odd[Tokens][kChains];
        for (int t = 0; t < Tokens; ++t) {
            for (int chain = 0; chain < kChains; ++chain) {
                even[t][chain] = _mm512_setzero_ps();
                odd[t][chain] = _mm512_setzero_ps();
            }
        }
        for (std::int64_t line = 0; line < a.lines(); line += kAtOnce) {
#pragma GCC unroll 4
            for (int i = 0; i < kAtOnce; ++i) {
                const int chain = i % kChains;
                const __m512i entries =
                    line512<How>(How == Placing::None ? nullptr : mask + line + i, values, i);
                const __m512 evenEntries = firstOfPairs(entries);
                const __m512 oddEntries = secondOfPairs(entries);
                const float* pair = x + 2 * (line + i);
#pragma GCC unroll 8
                for (int t = 0; t < Tokens; ++t) {
                    even[t][chain] = _mm512_fmadd_ps(evenEntries, _mm512_set1_ps(pair[t * rows]),
                                                     even[t][chain]);
                    odd[t][chain] = _mm512_fmadd_ps(oddEntries, _mm512_set1_ps(pair[t * rows + 1]),
                                                    odd[t][chain]);
                }
            }
        }
        for (int t = 0; t < Tokens; ++t) {
            __m512 sum = _mm512_add_ps(even[t][0], odd[t][0]);
            for (int chain = 1; chain < kChains; ++chain) {
                sum = _mm512_add_ps(sum, _mm512_add_ps(even[t][chain], odd[t][chain]));
            }
            _mm512_mask_storeu_ps(y + t * ldy + group * kPackedColumns,
                                  firstColumns(a.columnsOf(group)), sum);
        }
    }
}

template <Placing How>
void dotFor(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
            std::int64_t tokens, float* y, std::int64_t ldy) {
    withTokens<kMostPackedTokens>(
        tokens, [&](auto count) { dotOf<How, count()>(a, first, last, x, y, ldy); });
}

template <Placing How>
COSPADI_AVX512 void unpackOf(const PackedGroups& a, std::int64_t first, std::int64_t last,
                             float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        const std::uint16_t* values = a.valuesOf(group);
        const std::uint32_t* mask = a.maskOf(group);
        for (std::int64_t line = 0; line < a.lines(); ++line) {
            const __m512i entries =
                line512<How>(How == Placing::None ? nullptr : mask + line, values, line);
            _mm512_storeu_ps(to + 2 * line * width, firstOfPairs(entries));
            _mm512_storeu_ps(to + (2 * line + 1) * width, secondOfPairs(entries));
        }
    }
}

template <Placing How>
COSPADI_AVX512 void unpackPairsOf(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                  std::uint16_t* to) {
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint16_t* values = a.valuesOf(group);
        const std::uint32_t* mask = a.maskOf(group);
        for (std::int64_t line = 0; line < a.lines(); ++line, to += kPackedEntries) {
            _mm512_storeu_si512(to, line512<How>(mask + line, values, line));
        }
    }
}

Placing placingOf(const PackedGroups& a) {
    return a.mask == nullptr ? Placing::None : bestPlacing();
}

}  // namespace

void dot512(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
            std::int64_t tokens, float* y, std::int64_t ldy) {
    switch (placingOf(a)) {
        case Placing::None:
            return dotFor<Placing::None>(a, first, last, x, tokens, y, ldy);
        case Placing::Expand:
            return dotFor<Placing::Expand>(a, first, last, x, tokens, y, ldy);
        case Placing::ByTurns:
            return dotFor<Placing::ByTurns>(a, first, last, x, tokens, y, ldy);
    }
}

void unpack512(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    switch (placingOf(a)) {
        case Placing::None:
            return unpackOf<Placing::None>(a, first, last, to);
        case Placing::Expand:
            return unpackOf<Placing::Expand>(a, first, last, to);
        case Placing::ByTurns:
            return unpackOf<Placing::ByTurns>(a, first, last, to);
    }
}

void unpackPairs512(const PackedGroups& a, std::int64_t first, std::int64_t last,
                    std::uint16_t* to) {
    return bestPlacing() == Placing::ByTurns ? unpackPairsOf<Placing::ByTurns>(a, first, last, to)
                                             : unpackPairsOf<Placing::Expand>(a, first, last, to);
}

}  // namespace cospadi

#endif
