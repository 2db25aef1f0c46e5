#include "core/methods/option_key.h"

#include <fmt/format.h>

#include "core/methods/method.h"

namespace cospadi {

std::string keyOf(const MatrixOptions& o) {
    std::string key = fmt::format(
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", o.method->name(),
        static_cast<int>(o.solver), o.cr, o.rho, static_cast<int>(o.accounting), o.coefficientBits,
        o.iterations, o.powerIterations, o.tolerance, o.ridge, o.seed, static_cast<int>(o.init),
        static_cast<int>(o.update), static_cast<int>(o.deadAtoms),
        static_cast<int>(o.coefficientRounding), o.side ? static_cast<int>(*o.side) : -1, refits(o),
        static_cast<int>(coefficientFormatOf(o)));
    if (o.accounting == Accounting::Integers) {
        key += fmt::format(" {}", o.dictionaryBits);
    }
    if (o.coder != Coder::Omp) {
        key += fmt::format(" coder={}", name(o.coder));
    }
    for (const auto& [option, value] : o.own) {
        key += fmt::format(" {}={}", option, textOf(value));
    }
    return key;
}

}  // namespace cospadi
