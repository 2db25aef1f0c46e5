#include "core/linalg/backend.h"

#include "core/base/error.h"

namespace cospadi {

namespace {

[[noreturn]] void refuseOnDevice(const char* what, const char* setting, const char* instead) {
    throw Error(std::string("devices have no ") + what, setting,
                std::string("use --device cpu, or ") + instead);
}

}  // namespace

void Backend::lassoEncode(const Matrix& /*g*/, const Matrix& /*p*/, std::int64_t /*s*/,
                          Matrix& /*codes*/) {
    refuseOnDevice("LASSO", "coder", "omp");
}

void Backend::ksvdSketchSweep(std::uint64_t /*seed*/, Matrix& /*e*/, Matrix& /*d*/,
                              Matrix& /*codes*/) {
    refuseOnDevice("randomised SVD", "update", "ksvd or ksvd-exact");
}

}  // namespace cospadi
