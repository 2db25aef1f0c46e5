#include "core/packed/packed_kernels.h"

namespace cospadi {

std::vector<PackedInstructions> packedInstructions() {
    std::vector<PackedInstructions> result{PackedInstructions::Plain};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
        __builtin_cpu_supports("popcnt") != 0 && __builtin_cpu_supports("f16c") != 0 &&
        __builtin_cpu_supports("bmi2") != 0) {
        result.push_back(PackedInstructions::Avx2);
        if (__builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0) {
            result.push_back(PackedInstructions::Avx512);
        }
    }
#endif
    return result;
}

PackedInstructions bestPackedInstructions() {
    static const PackedInstructions best = packedInstructions().back();
    return best;
}

const char* name(PackedInstructions instructions) {
    switch (instructions) {
        case PackedInstructions::Avx2:
            return "AVX2";
        case PackedInstructions::Avx512:
            return "AVX-512";
        case PackedInstructions::Plain:
            break;
    }
    return "plain";
}

}  // namespace cospadi
