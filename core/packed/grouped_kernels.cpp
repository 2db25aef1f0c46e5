#include "core/packed/grouped_kernels.h"

#include <algorithm>
#include <array>

#include "core/base/bfloat16.h"
#include "core/packed/kernel_parts.h"

#if defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // as in packed_kernels.cpp
#include <immintrin.h>
#define COSPADI_GROUPED_AVX512 __attribute__((target("avx512f,avx512bw")))
#endif

namespace cospadi {

namespace {

constexpr std::int64_t kMostGroupedTokens = 4;  // more sums and places do not stay in registers

constexpr int placeWidth(int group) { return group == 4 ? 2 : 4; }  // bits
constexpr int valuesOfStep(int kept, int group) { return kPackedRows * kept / group; }
constexpr int wordBits(int kept, int group) {
    return std::min(32, valuesOfStep(kept, group) * placeWidth(group));
}

// Calls use(kept, group) with the pattern as constants.
template <typename Use>
auto forPattern(const NmPattern& pattern, const Use& use) {
    using std::integral_constant;
    constexpr integral_constant<int, 1> one;
    constexpr integral_constant<int, 2> two;
    constexpr integral_constant<int, 4> four;
    constexpr integral_constant<int, 8> eight;
    if (pattern.group == 4) {
        return pattern.kept == 1 ? use(one, four) : use(two, four);
    }
    return pattern.kept == 2 ? use(two, eight) : use(four, eight);
}

const std::uint16_t* stepValues(const PackedGroups& a, std::int64_t group, std::int64_t step) {
    return a.values + (group * a.steps + step) * groupedValues(a.pattern) * kPackedColumns;
}

const std::uint8_t* stepPlaces(const PackedGroups& a, std::int64_t group, std::int64_t step) {
    return a.places + (group * a.steps + step) * placeBytes(a.pattern);
}

using Step = std::array<std::array<float, kPackedColumns>, kPackedRows>;

// Every entry of a step.
Step entriesOf(const PackedGroups& a, std::int64_t group, std::int64_t step) {
    Step entries{};
    const std::int64_t perStep = groupedValues(a.pattern);
    const std::int64_t before = (group * a.steps + step) * perStep;
    for (std::int64_t i = 0; i < perStep; ++i) {
        for (std::int64_t c = 0; c < kPackedColumns; ++c) {
            const GroupedEntry entry = groupedEntry(a.pattern, before + i, c);
            const std::uint16_t value = a.values[entry.value];
            if (value != 0) {
                const int place = a.places[entry.placeByte] >> entry.placeShift &
                                  ((1 << placeWidth(a.pattern.group)) - 1);
                entries[static_cast<std::size_t>(i / a.pattern.kept * a.pattern.group + place)]
                       [static_cast<std::size_t>(c)] = floatFromBf16(value);
            }
        }
    }
    return entries;
}

void dotPlainly(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                std::int64_t tokens, float* y, std::int64_t ldy) {
    for (std::int64_t group = first; group < last; ++group) {
        const std::int64_t columns = a.columnsOf(group);
        for (std::int64_t t = 0; t < tokens; ++t) {
            std::fill_n(y + t * ldy + group * kPackedColumns, columns, 0.0F);
        }
        for (std::int64_t step = 0; step < a.steps; ++step) {
            const Step entries = entriesOf(a, group, step);
            for (std::int64_t t = 0; t < tokens; ++t) {
                const float* rows = x + t * a.rows() + step * kPackedRows;
                float* sums = y + t * ldy + group * kPackedColumns;
                for (std::size_t row = 0; row < entries.size(); ++row) {
                    for (std::int64_t c = 0; c < columns; ++c) {
                        sums[c] += entries[row][static_cast<std::size_t>(c)] * rows[row];
                    }
                }
            }
        }
    }
}

void unpackPlainly(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        for (std::int64_t step = 0; step < a.steps; ++step) {
            const Step entries = entriesOf(a, group, step);
            for (std::size_t row = 0; row < entries.size(); ++row) {
                std::copy(entries[row].begin(), entries[row].end(),
                          to + (step * kPackedRows + static_cast<std::int64_t>(row)) * width);
            }
        }
    }
}

#if defined(__x86_64__)

// Place i of a step for all columns, in the low bits of 32: those above are others'.
template <int Kept, int Group>
COSPADI_GROUPED_AVX512 inline __m512i placesOf(const std::uint8_t* places, int i) {
    constexpr int kWidth = placeWidth(Group);
    constexpr int kBits = wordBits(Kept, Group);
    if constexpr (kBits == 16) {
        const __m512i word =
            _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(places)));
        return _mm512_srli_epi32(word, static_cast<unsigned>(kWidth * i));
    } else {
        constexpr int kPlaces = kBits / kWidth;  // of a word
        const __m512i word = _mm512_loadu_si512(places + i / kPlaces * 64);
        return _mm512_srli_epi32(word, static_cast<unsigned>(kWidth * (i % kPlaces)));
    }
}

// Of x (Group) what stands at those places. Bits of other places above the own do not count: a
// permutation within four reads two bits, one of sixteen four, and M = 8 stands there twice.
template <int Group>
COSPADI_GROUPED_AVX512 inline __m512 atPlaces(const float* x, __m512i places) {
    if constexpr (Group == 4) {
        return _mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(x)), places);
    } else {
        const __m512d twice = _mm512_broadcast_f64x4(_mm256_castps_pd(_mm256_loadu_ps(x)));
        return _mm512_permutexvar_ps(places, _mm512_castpd_ps(twice));
    }
}

template <int Kept, int Group, int Tokens>
COSPADI_GROUPED_AVX512 void dotGrouped(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                       const float* x, float* y, std::int64_t ldy) {
    constexpr int kLines = valuesOfStep(Kept, Group) / 2;
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint16_t* values = stepValues(a, group, 0);
        const std::uint8_t* places = stepPlaces(a, group, 0);
        __m512 low[Tokens];
        __m512 high[Tokens];
        for (int t = 0; t < Tokens; ++t) {
            low[t] = _mm512_setzero_ps();
            high[t] = _mm512_setzero_ps();
        }
        for (std::int64_t row = 0; row < rows; row += kPackedRows) {
#pragma GCC unroll 8
            for (int i = 0; i < kLines; ++i, values += kPackedEntries) {
                const __m512i line = _mm512_loadu_si512(values);
                const __m512 lows = firstOfPairs(line);
                const __m512 highs = secondOfPairs(line);
                const __m512i lowPlaces = placesOf<Kept, Group>(places, 2 * i);
                const __m512i highPlaces = placesOf<Kept, Group>(places, 2 * i + 1);
                const float* own = x + row;
#pragma GCC unroll 4
                for (int t = 0; t < Tokens; ++t, own += rows) {
                    low[t] = _mm512_fmadd_ps(
                        lows, atPlaces<Group>(own + 2 * i / Kept * Group, lowPlaces), low[t]);
                    high[t] = _mm512_fmadd_ps(
                        highs, atPlaces<Group>(own + (2 * i + 1) / Kept * Group, highPlaces),
                        high[t]);
                }
            }
            places += placeBytes(a.pattern);
        }
        for (int t = 0; t < Tokens; ++t) {
            _mm512_mask_storeu_ps(y + t * ldy + group * kPackedColumns,
                                  firstColumns(a.columnsOf(group)), _mm512_add_ps(low[t], high[t]));
        }
    }
}

// Pairs of rows, as a line of packed_kernels.h has them, for a step: kPackedLines of them.
template <int Kept, int Group>
COSPADI_GROUPED_AVX512 inline void pairsOfStep(const std::uint16_t* values,
                                               const std::uint8_t* places,
                                               __m512i pairs[kPackedLines]) {
    std::fill_n(pairs, kPackedLines, _mm512_setzero_si512());
    const __m512i placeMask = _mm512_set1_epi32(Group - 1);
    const __m512i one = _mm512_set1_epi32(1);
    for (int i = 0; i < valuesOfStep(Kept, Group); ++i) {
        const __m512i line = _mm512_loadu_si512(values + i / 2 * kPackedEntries);
        const __m512i value = i % 2 == 0 ? _mm512_and_si512(line, _mm512_set1_epi32(0xffff))
                                         : _mm512_srli_epi32(line, 16);
        const __m512i place = _mm512_and_si512(placesOf<Kept, Group>(places, i), placeMask);
        const __m512i half = _mm512_slli_epi32(_mm512_and_si512(place, one), 4);
        const __m512i placed = _mm512_sllv_epi32(value, half);
        const __m512i pair = _mm512_srli_epi32(place, 1);
        for (int p = 0; p < Group / 2; ++p) {
            __m512i& to = pairs[i / Kept * (Group / 2) + p];
            to = _mm512_mask_or_epi32(to, _mm512_cmpeq_epi32_mask(pair, _mm512_set1_epi32(p)), to,
                                      placed);
        }
    }
}

template <int Kept, int Group>
COSPADI_GROUPED_AVX512 void unpackGrouped(const PackedGroups& a, std::int64_t first,
                                          std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        float* row = to;
        for (std::int64_t step = 0; step < a.steps; ++step) {
            __m512i pairs[kPackedLines];
            pairsOfStep<Kept, Group>(stepValues(a, group, step), stepPlaces(a, group, step), pairs);
            for (const __m512i& pair : pairs) {
                _mm512_storeu_ps(row, firstOfPairs(pair));
                _mm512_storeu_ps(row + width, secondOfPairs(pair));
                row += 2 * width;
            }
        }
    }
}

template <int Kept, int Group>
COSPADI_GROUPED_AVX512 void unpackGroupedPairs(const PackedGroups& a, std::int64_t first,
                                               std::int64_t last, std::uint16_t* to) {
    for (std::int64_t group = first; group < last; ++group) {
        for (std::int64_t step = 0; step < a.steps; ++step) {
            __m512i pairs[kPackedLines];
            pairsOfStep<Kept, Group>(stepValues(a, group, step), stepPlaces(a, group, step), pairs);
            for (const __m512i& pair : pairs) {
                _mm512_storeu_si512(to, pair);
                to += kPackedEntries;
            }
        }
    }
}

#endif

}  // namespace

bool hasPlaces(const NmPattern& pattern) {
    const bool hasKernel = (pattern.group == 4 && pattern.kept <= 2) ||
                           (pattern.group == 8 && (pattern.kept == 2 || pattern.kept == 4));
    return hasKernel && bestPackedInstructions() == PackedInstructions::Avx512;
}

std::int64_t groupedValues(const NmPattern& pattern) {
    return valuesOfStep(pattern.kept, pattern.group);
}

std::int64_t placeBytes(const NmPattern& pattern) {
    return groupedValues(pattern) * placeWidth(pattern.group) / 8 * kPackedColumns;
}

GroupedEntry groupedEntry(const NmPattern& pattern, std::int64_t value, std::int64_t column) {
    const std::int64_t perStep = groupedValues(pattern);
    const std::int64_t step = value / perStep;
    const std::int64_t own = value % perStep;
    const std::int64_t word = wordBits(pattern.kept, pattern.group);
    const std::int64_t bit = own * placeWidth(pattern.group);
    return {step * perStep * kPackedColumns + own / 2 * kPackedEntries + 2 * column + own % 2,
            step * placeBytes(pattern) + bit / word * (word / 8 * kPackedColumns) +
                column * (word / 8) + bit % word / 8,
            static_cast<int>(bit % 8)};
}

void groupedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                std::int64_t last, const float* x, std::int64_t tokens, float* y,
                std::int64_t ldy) {
#if defined(__x86_64__)
    if (instructions == PackedInstructions::Avx512) {
        forPattern(a.pattern, [&](auto kept, auto group) {
            for (std::int64_t t = 0; t < tokens; t += kMostGroupedTokens) {
                const auto dot = [&](auto count) {
                    dotGrouped<kept(), group(), count()>(a, first, last, x + t * a.rows(),
                                                         y + t * ldy, ldy);
                };
                withTokens<kMostGroupedTokens>(std::min(kMostGroupedTokens, tokens - t), dot);
            }
        });
        return;
    }
#endif
    dotPlainly(a, first, last, x, tokens, y, ldy);
}

void groupedUnpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                   std::int64_t last, float* to) {
#if defined(__x86_64__)
    if (instructions == PackedInstructions::Avx512) {
        forPattern(a.pattern, [&](auto kept, auto group) {
            unpackGrouped<kept(), group()>(a, first, last, to);
        });
        return;
    }
#endif
    unpackPlainly(a, first, last, to);
}

void groupedUnpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last,
                        std::uint16_t* to) {
#if defined(__x86_64__)
    forPattern(a.pattern, [&](auto kept, auto group) {
        unpackGroupedPairs<kept(), group()>(a, first, last, to);
    });
#else
    static_cast<void>(a), static_cast<void>(first), static_cast<void>(last), static_cast<void>(to);
#endif
}

}  // namespace cospadi
