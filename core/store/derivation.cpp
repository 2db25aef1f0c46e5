#include "core/store/derivation.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/methods/matrix_options.h"
#include "core/store/field_reader.h"
#include "core/store/run_id.h"

namespace cospadi {

void requireRequantizedBits(int bits, const char* field) {
    if (bits < kFewestRequantizedBits || bits > kMostRequantizedBits) {
        throw Error(fmt::format("{} bits a coefficient", bits), field,
                    fmt::format("give {} to {}: sign and exponent of a bfloat16 take nine",
                                kFewestRequantizedBits, kMostRequantizedBits));
    }
}

void validate(const Derivation& derivation) {
    requireRunId(derivation.from, "derived.from");
    if (!derivation.isSlice() && derivation.coefficientBits == 0 && !derivation.refinement) {
        throw Error("names neither layers, nor bits, nor a refinement", "derived",
                    "give slice_of, coefficient_bits, refinement, or several");
    }
    if (derivation.refinement) {
        derivation.refinement->validate();
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
    if (const auto& refinement = derivation.refinement) {
        object["refinement"] = {{"sequences", refinement->sequences},
                                {"length", refinement->length},
                                {"passes", refinement->passes},
                                {"step_sequences", refinement->stepSequences},
                                {"learning_rate", refinement->learningRate},
                                {"seed", refinement->seed}};
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
    if (const nlohmann::json* how = fields.child("refinement")) {
        RefinementOptions refinement;
        FieldReader options(*how, "derived.refinement.");
        options.read("sequences", refinement.sequences);
        options.read("length", refinement.length);
        options.read("passes", refinement.passes);
        options.read("step_sequences", refinement.stepSequences);
        options.read("learning_rate", refinement.learningRate);
        options.read("seed", refinement.seed);
        options.refuseUnknown("derived.refinement");
        derivation.refinement = refinement;
    }
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

std::string refinementWords(const Derivation& derivation) {
    if (!derivation.refinement) {
        return "";
    }
    const RefinementOptions& how = *derivation.refinement;
    return fmt::format("refined, {}{} × {} tokens",
                       how.passes > 1 ? fmt::format("{} × ", how.passes) : "",
                       how.sequences - how.heldOut(), how.length);
}

}  // namespace cospadi
