#include "core/store/derivation.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/methods/matrix_options.h"
#include "core/store/field_reader.h"
#include "core/store/run_id.h"

namespace cospadi {

void requireRequantizedBits(int bits, const char* field) {
    if (bits < kFewestRequantizedBits || bits > kMostRequantizedBits) {
        throw Error(fmt::format("{} bits per coefficient", bits), field,
                    fmt::format("give {} to {}: sign and exponent of a bfloat16 take nine",
                                kFewestRequantizedBits, kMostRequantizedBits));
    }
}

void validate(const Derivation& derivation) {
    requireRunId(derivation.from, "derived.from");
    if (!derivation.isSlice() && derivation.coefficientBits == 0) {
        throw Error("has neither layers nor bits", "derived",
                    "give slice_of, coefficient_bits, or both");
    }
    if (derivation.isRequantized() || derivation.coefficientBits < 0) {
        requireRequantizedBits(derivation.coefficientBits, "derived.coefficient_bits");
    }
}

nlohmann::json toJson(const Derivation& derivation) {
    nlohmann::json object{{"from", derivation.from}};
    if (derivation.isSlice()) {
        object["slice_of"] = derivation.sliceOf;
    }
    if (derivation.isRequantized()) {
        object["coefficient_bits"] = derivation.coefficientBits;
        object["rounding"] = name(derivation.rounding);
    }
    return object;
}

Derivation derivationFromJson(const nlohmann::json& object) {
    Derivation derivation;
    FieldReader fields(object, "derived.");
    fields.read("from", derivation.from);
    fields.read("slice_of", derivation.sliceOf);
    fields.read("coefficient_bits", derivation.coefficientBits);
    std::string rounding = name(derivation.rounding);
    fields.read("rounding", rounding);
    derivation.rounding = coefficientRoundingFromName(rounding);
    fields.refuseUnknown("derived");
    validate(derivation);
    return derivation;
}

std::string requantizationWords(const Derivation& derivation) {
    if (!derivation.isRequantized()) {
        return "";
    }
    return fmt::format(
        "{} to {} bits",
        derivation.rounding == CoefficientRounding::Truncate ? "truncated" : "rounded",
        derivation.coefficientBits);
}

}  // namespace cospadi
