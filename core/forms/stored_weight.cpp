#include "core/forms/stored_weight.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace cospadi {

std::vector<StoredWeightPtr> StoredWeight::split(
    const std::vector<std::int64_t>& /*widths*/) const {
    throw Error(fmt::format("the form {} has no factor that layers could share", form()), "groups",
                "use none");
}

StoredWeightPtr StoredWeight::withFactors(WeightProduct /*factors*/) const {
    throw Error(fmt::format("the form {} has no factors with adjustable numbers", form()), "form",
                "use a run whose layers are a dictionary and codes, or two low-rank factors");
}

StoredWeightPtr StoredWeight::requantized(int /*bits*/, CoefficientRounding /*rounding*/) const {
    throw Error(fmt::format("the form {} has no coefficients", form()), "coefficient_bits",
                "use a run whose layers are a dictionary and codes, or two low-rank factors");
}

void requireNoIntegers(std::int64_t integerRun) {
    if (integerRun > 0) {
        throw Error("integer factors are fitted to each other as stored", "accounting",
                    "compress again with the desired bits, or use another accounting");
    }
}

}  // namespace cospadi
