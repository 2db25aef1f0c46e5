// Builds a plain loop for several levels of instructions and picks at load time. Levels, not
// processor names: "arch=haswell" would leave AMD processors with the baseline. Not under
// sanitizers: what picks runs before they are ready.
//   COSPADI_SIMD_CLONES: AVX-512, AVX2 and the baseline.
//   COSPADI_AVX2_CLONES: without AVX-512, for the solvers' loops, which gain nothing by it: their
//   sums are then the same on every processor with AVX2 (tests/core/tst_equal_bits.cpp).
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COSPADI_SIMD_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define COSPADI_AVX2_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define COSPADI_SIMD_CLONES
#define COSPADI_AVX2_CLONES
#endif
