// Internal to products on matrix units: the kernel for operands whose steps of 32 along the depth
// have a scale and a minimum each, as GGUF's blocks: op(A)(i, p) = d(i, p / 32) q(i, p) +
// m(i, p / 32), q an integer that bfloat16 holds. Three products of tiles a step instead of six:
// the sums of q alone are exact to the last rounding, then scaled.
//
// Sums of a step are scaled while the units work on the next one: as many vectors between two
// products as keep them apart (amx_kernel.h). Only to be called where multiplyOnMatrixUnits() may
// be.
#pragma once

#if defined(__x86_64__)

#include "core/products/amx_kernel.h"
#include "core/products/amx_product.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace cospadi::amx {

// (What GCC makes of it without the barrier takes longer than a step's products.)
COSPADI_AMX inline void clear(Sums& sums) {
    for (std::size_t i = 0; i < sums.values.size(); i += kSide) {
        _mm512_store_ps(sums.values.data() + i, _mm512_setzero_ps());
        asm volatile("");
    }
}

// Scales of the rows of up to two tiles at a step.
struct Scales {
    __m512 d[2];
    __m512 m[2];
};

COSPADI_AMX inline __m512 halves(const std::uint8_t* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

template <int Rows>
COSPADI_AMX inline Scales scalesAt(const StepScales& scales, const std::uint8_t* step) {
    constexpr std::int64_t kHalves = 2 * kSide;  // bytes
    Scales at{};
    for (int r = 0; r < Rows; ++r, step += scales.toNextTile) {
        at.d[r] = halves(step);
        at.m[r] = scales.hasMinimum ? _mm512_fmadd_ps(at.d[r], _mm512_set1_ps(scales.codeOffset),
                                                      halves(step + kHalves))
                                    : _mm512_setzero_ps();
    }
    return at;
}

// Adds what a step gave: vectors First … Last − 1 of [rows][columns][16].
template <int Columns, int First, int Last>
COSPADI_AMX inline void addScaled(const Sums& step, const Scales& scales, const float* sums,
                                  Sums& total) {
    if constexpr (First < Last) {
        constexpr int kOfTile = Columns * kSide;
        constexpr int kRows = First / kOfTile;
        constexpr std::int64_t kAt = (2 * kSide * kRows + First % kOfTile) * kSide;
        float* to = total.values.data() + kAt;
        const __m512 sum = _mm512_set1_ps(sums[First % kOfTile]);
        const __m512 begun = _mm512_fmadd_ps(scales.m[kRows], sum, _mm512_load_ps(to));
        _mm512_store_ps(
            to, _mm512_fmadd_ps(scales.d[kRows], _mm512_load_ps(step.values.data() + kAt), begun));
        addScaled<Columns, First + 1, Last>(step, scales, sums, total);
    }
}

// What is done between the products of a step: adding what the step before it gave.
template <int Rows, int Columns>
struct StepBefore {
    static constexpr int kVectors = Rows * Columns * kSide;
    static constexpr int kProducts = kTerms * Rows * Columns;

    const Sums& step;
    const Scales& scales;
    const float* sums;
    Sums& total;

    template <int Product>
    COSPADI_AMX void add(const std::uint16_t*& ahead) const {
        constexpr int kIntoL2 = 2;
        __builtin_prefetch(ahead, 0, kIntoL2);
        ahead += kLineWords;
        asm volatile("" ::: "memory");  // stays between the products
        addScaled<Columns, Product * kVectors / kProducts, (Product + 1) * kVectors / kProducts>(
            step, scales, sums, total);
        asm volatile("" ::: "memory");
    }
};

template <int Rows, int Columns, int Term>
COSPADI_AMX inline void multiplyTerm(const TilePair& b, std::int64_t step,
                                     const StepBefore<Rows, Columns>& before,
                                     const std::uint16_t*& ahead) {
    constexpr int kFirst = (kTerms - 1 - Term) * Rows * Columns;
    loadColumns<Columns>(b, step, Term);
    _tile_dpbf16ps(0, 4, 6);
    before.template add<kFirst>(ahead);
    if constexpr (Rows == 2) {
        _tile_dpbf16ps(2, 4, 7);
        before.template add<kFirst + 1>(ahead);
    }
    if constexpr (Columns == 2) {
        _tile_dpbf16ps(1, 5, 6);
        before.template add<kFirst + Rows>(ahead);
        if constexpr (Rows == 2) {
            _tile_dpbf16ps(3, 5, 7);
            before.template add<kFirst + 3>(ahead);
        }
    }
}

// total = op(A) op(B) for `steps` ≥ 1; scales: where those of the first row and step are; sums: of
// op(B) over each step, (steps, columns) with `toNextStep` from step to step.
template <int Rows, int Columns>
COSPADI_AMX void multiplyScaledBlock(std::int64_t steps, const TilePair& a, const TilePair& b,
                                     const StepScales& scales, const std::uint8_t* at,
                                     const float* sums, std::int64_t toNextStep,
                                     const std::uint16_t* ahead, Sums& total) {
    Sums parts[2];
    Scales before{};  // of no step: what is added first is nothing
    clear(total);
    clear(parts[1]);
    const float* sumsBefore = sums;
    for (std::int64_t step = 0; step < steps; ++step) {
        const StepBefore<Rows, Columns> last{parts[(step + 1) % 2], before, sumsBefore, total};
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
        loadPairs<Rows>(a, step, 0);
        multiplyTerm<Rows, Columns, 2>(b, step, last, ahead);
        multiplyTerm<Rows, Columns, 1>(b, step, last, ahead);
        multiplyTerm<Rows, Columns, 0>(b, step, last, ahead);
        storeSums<Rows, Columns>(SumTiles::of(parts[step % 2]));
        before = scalesAt<Rows>(scales, at + step * scales.toNextStep);
        sumsBefore = sums + step * toNextStep;
    }
    addScaled<Columns, 0, Rows * Columns * kSide>(parts[(steps + 1) % 2], before, sumsBefore,
                                                  total);
}

}  // namespace cospadi::amx

#pragma GCC diagnostic pop

#endif
