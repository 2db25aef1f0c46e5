#include "core/products/openblas_kernels.h"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

// What OpenBLAS itself runs when it is loaded and unloaded; absent where it was built for one
// processor.
extern "C" {
void gotoblas_dynamic_init() __attribute__((weak));
void gotoblas_dynamic_quit() __attribute__((weak));
}

namespace cospadi {

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";  // read by gotoblas_dynamic_init()
constexpr const char* kWanted = "COSPADI_OPENBLAS_KERNELS";
constexpr const char* kAvx512Kernels = "SkylakeX";

bool usesAvx512() {
    constexpr std::array<std::string_view, 3> kNames{kAvx512Kernels, "Cooperlake",
                                                     "SapphireRapids"};
    return std::find(kNames.begin(), kNames.end(), openblas_get_corename()) != kNames.end();
}

bool processorHasAvx512() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#else
    return false;
#endif
}

}  // namespace

bool openBlasKernelsAreNamed() { return std::getenv(kWanted) != nullptr; }

void chooseOpenBlasKernels() {
    if (gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr) {
        return;
    }
    const char* wanted = std::getenv(kWanted);
    if (wanted == nullptr && processorHasAvx512() && !usesAvx512()) {
        wanted = kAvx512Kernels;
    }
    if (wanted == nullptr) {
        return;
    }
    const char* given = std::getenv(kVariable);
    const std::string before = given != nullptr ? given : "";
    setenv(kVariable, wanted, 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    given != nullptr ? setenv(kVariable, before.c_str(), 1) : unsetenv(kVariable);
}

}  // namespace cospadi
