// Internal: builds a plain loop for AVX-512, AVX2 and the baseline, and picks at load time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define COSPADI_SIMD_CLONES \
    __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define COSPADI_SIMD_CLONES
#endif
