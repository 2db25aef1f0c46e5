#include "core/packed/packed_kernels.h"

#include <algorithm>
#include <array>

#include "core/base/bfloat16.h"
#include "core/base/short_float.h"
#include "core/packed/avx2_kernels.h"
#include "core/packed/avx512_kernels.h"
#include "core/packed/grouped_kernels.h"
#include "core/packed/integer_kernels.h"
#include "core/packed/quantised_kernels.h"
#include "core/packed/short_code_kernels.h"

namespace cospadi {

namespace {

// Calls use(line, entries) for every line of a group, as floats; next() tells one value after
// another.
template <typename Next, typename Use>
void forLinesOf(const PackedGroups& a, std::int64_t group, const Next& next, const Use& use) {
    const std::uint32_t* mask = a.maskOf(group);
    for (std::int64_t line = 0; line < a.lines(); ++line) {
        std::array<float, kPackedEntries> entries{};
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (mask == nullptr || (mask[line] >> i & 1U) != 0) {
                entries[i] = next();
            }
        }
        use(line, entries);
    }
}

template <typename Use>
void forLines(const PackedGroups& a, std::int64_t group, const Use& use) {
    if (a.isShortCodes()) {
        return withPlanes(a, [&](auto planes) {
            const ShortFloat format(8 + planes());
            ShortCodes<planes()> codes(a, group);
            const auto next = [&] {
                const float value = format.value(static_cast<std::uint16_t>(codes.pattern()));
                codes += 1;
                return value;
            };
            forLinesOf(a, group, next, use);
        });
    }
    const std::uint16_t* values = a.valuesOf(group);
    forLinesOf(
        a, group, [&] { return floatFromBf16(*values++); }, use);
}

void dotPlain(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
              std::int64_t tokens, float* y, std::int64_t ldy) {
    for (std::int64_t group = first; group < last; ++group) {
        std::array<std::array<float, kPackedEntries>, kMostPackedTokens> sums{};
        forLines(a, group, [&](std::int64_t line, const auto& entries) {
            for (std::int64_t t = 0; t < tokens; ++t) {
                const float* pair = x + t * a.rows() + 2 * line;
                for (std::size_t i = 0; i < entries.size(); ++i) {
                    sums[static_cast<std::size_t>(t)][i] += entries[i] * pair[i % 2];
                }
            }
        });
        for (std::int64_t t = 0; t < tokens; ++t) {
            const auto& sum = sums[static_cast<std::size_t>(t)];
            for (std::int64_t c = 0; c < a.columnsOf(group); ++c) {
                const auto even = static_cast<std::size_t>(2 * c);
                y[t * ldy + group * kPackedColumns + c] = sum[even] + sum[even + 1];
            }
        }
    }
}

void unpackPlain(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        forLines(a, group, [&](std::int64_t line, const auto& entries) {
            for (std::size_t i = 0; i < entries.size(); ++i) {
                to[(2 * line + static_cast<std::int64_t>(i % 2)) * width +
                   static_cast<std::int64_t>(i / 2)] = entries[i];
            }
        });
    }
}

void dotAtOnce(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
               std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy) {
    if (a.places != nullptr) {
        return groupedDot(instructions, a, first, last, x, tokens, y, ldy);
    }
    if (a.blocks != nullptr) {
        return quantisedDot(instructions, a, first, last, x, tokens, y, ldy);
    }
    if (a.isIntegers()) {
        return integerDot(instructions, a, first, last, x, tokens, y, ldy);
    }
    switch (instructions) {
#ifdef __x86_64__
        case PackedInstructions::Avx512:
            return a.isShortCodes() ? shortCodesDot512(a, first, last, x, tokens, y, ldy)
                                    : dot512(a, first, last, x, tokens, y, ldy);
        case PackedInstructions::Avx2:
            return dot256(a, first, last, x, tokens, y, ldy);
#endif
        default:
            return dotPlain(a, first, last, x, tokens, y, ldy);
    }
}

}  // namespace

void packedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
               std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy) {
    // With AVX2 masked groups are expanded once for all tokens.
    const std::int64_t atOnce =
        instructions == PackedInstructions::Avx2 && a.mask != nullptr ? tokens : kMostPackedTokens;
    for (std::int64_t t = 0; t < tokens; t += atOnce) {
        dotAtOnce(instructions, a, first, last, x + t * a.rows(), std::min(atOnce, tokens - t),
                  y + t * ldy, ldy);
    }
}

void unpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
            std::int64_t last, float* to) {
    if (a.places != nullptr) {
        return groupedUnpack(instructions, a, first, last, to);
    }
    if (a.blocks != nullptr) {
        return quantisedUnpack(instructions, a, first, last, to);
    }
    if (a.isIntegers()) {
        return integerUnpack(instructions, a, first, last, to);
    }
    switch (instructions) {
#ifdef __x86_64__
        case PackedInstructions::Avx512:
            return a.isShortCodes() ? shortCodesUnpack512(a, first, last, to)
                                    : unpack512(a, first, last, to);
        case PackedInstructions::Avx2:
            return unpack256(a, first, last, to);
#endif
        default:
            return unpackPlain(a, first, last, to);
    }
}

void unpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last, std::uint16_t* to) {
    if (a.places != nullptr) {
        return groupedUnpackPairs(a, first, last, to);
    }
    if (a.isIntegers()) {
        return integerUnpackPairs(a, first, last, to);
    }
#ifdef __x86_64__
    a.isShortCodes() ? shortCodesUnpackPairs512(a, first, last, to)
                     : unpackPairs512(a, first, last, to);
#else
    static_cast<void>(a), static_cast<void>(first), static_cast<void>(last), static_cast<void>(to);
#endif
}

}  // namespace cospadi
