#include "core/store/run_specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/calibration/calibration.h"
#include "core/forms/forms.h"
#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/layer_groups.h"
#include "core/methods/rho_candidates.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/model/layer_pattern.h"
#include "core/store/named_settings.h"

namespace cospadi {

namespace {

void require(bool holds, const char* field, const std::string& what, const char* hint) {
    if (!holds) {
        throw Error(what, field, hint);
    }
}

// Every other number has the range of its description.
void requireDescribedRanges(const RunSpecification& s) {
    // In words of their own below and with the budgets; any seed will do.
    static const std::set<std::string> others = {
        "cr",        "rho",  "coefficient_bits", "iterations", "power_iterations", "ridge",
        "tolerance", "seed", "refine_rate"};
    for (const Option& option : sharedOptions()) {
        if (option.choices.empty() && !others.contains(option.name)) {
            requireInRange(option, optionFromJson(option, settingOf(s, option.name)));
        }
    }
}

// Of either side of a matrix so large that room for an atom is no question: it stands for all where
// only ranges are asked for. What room the layers have is known with the model (requireRunnable()).
constexpr std::int64_t kRoomySide = 1 << 20;

// Ranges are checked whatever the method: a number that no method takes is a slip of the pen, also
// where it would not count.
void requireRanges(const RunSpecification& s) {
    require(s.coefficientBits == 0 || s.accounting == Accounting::Integers ||
                (s.coefficientBits >= 8 && s.coefficientBits <= 16),
            "coefficient_bits", fmt::format("{} bits per coefficient", s.coefficientBits),
            "give 8 to 16 (integers: 2 to 8), or 0 for the bits implied by the accounting");
    requireBits(s);
    require(s.iterations >= 0, "iterations", fmt::format("{} iterations", s.iterations),
            "give a positive number, or 0 for the solver's default");
    require(s.powerIterations >= 0, "power_iterations",
            fmt::format("{} power iterations", s.powerIterations),
            "the paper uses 8; 0 requests an exact SVD of every residual");
    require(s.ridge >= 0 && s.ridge <= 1, "ridge", fmt::format("ridge {}", s.ridge),
            "give a fraction of the Gram's mean diagonal such as 1e-3, or 0");
    require(s.tolerance >= 0 && s.tolerance < 1, "tolerance",
            fmt::format("tolerance {}", s.tolerance), "give a fraction such as 1e-4, or 0");
    require(s.refine == 0 || s.refine > 1, "refine", fmt::format("{} sequences", s.refine),
            "give 2 or more, of which an eighth is held out, or 0");
    require(s.refineRate > 0 && s.refineRate <= 1, "refine_rate",
            fmt::format("rate {}", s.refineRate),
            "give a number above 0, at most 1; 0.0005 is typical");
    requireDescribedRanges(s);
}

void requireRatios(const RunSpecification& s) {
    require(s.ratios.empty() || s.allocation == &uniformRule(), "ratios",
            "an allocation rule cannot change given ratios",
            "use allocation uniform, or omit the ratios");
    require(s.ratios.empty() || hasRatio(s), "ratios",
            fmt::format("method {} has no compression ratio", methodOf(s).name()),
            "omit the ratios");
    require(s.ratios.empty() || !s.autoRho, "ratios",
            "ρ can be chosen only with a single ratio for all layers",
            "set rho to a number, or omit the ratios");
    for (const auto& [layer, cr] : s.ratios) {
        require(cr > 0 && cr < 1, "ratios", fmt::format("CR {} for {}", cr, layer),
                "give a number between 0 and 1");
    }
}

void requireChoiceOfRho(const RunSpecification& s) {
    require(isSparse(s), "rho", fmt::format("method {} has no ρ to choose", methodOf(s).name()),
            "omit rho, or use a method with a dictionary");
    require(!groupsLayers(s), "rho", "layers that share cannot have individual ρ",
            "give a number, or use groups none");
    require(!codePatternOf(s).isGrouped(), "rho", "codes of N:M have the ρ of their pattern",
            "omit rho, or use code_pattern unstructured");
    // Else a number of bits that does not follow ρ makes one candidate weigh more than another.
    require(s.coefficientBits == 0 || isPacked(s.accounting), "coefficient_bits",
            fmt::format("with {}, bytes depend on ρ if the bits per coefficient are fixed",
                        name(s.accounting)),
            "use coefficient_bits 0, packed or packed8, or set rho to a number");
}

// Where whole blocks are left out no layer is asked for anything of its own.
void requireNothingOfLayers(const RunSpecification& s) {
    const char* method = methodOf(s).name();
    const auto refuse = [&](bool holds, const char* field, const char* hint) {
        require(holds, field,
                fmt::format("method {} removes whole blocks and has no settings of single layers",
                            method),
                hint);
    };
    refuse(s.allocation == &uniformRule(), "allocation", "use uniform");
    refuse(s.ratios.empty(), "ratios", "omit the ratios");
    refuse(s.propagation == PropagationKind::Off, "propagation", "use off");
    // It has no such option, so that the method's own word does not tell.
    const Option& groups = groupOptions().front();
    refuse(valueOf(groups, s.own) == groups.usual, groups.name, "use none");
    refuse(!isRefined(s), "refine", "use 0");
    refuse(!s.autoRho, "rho", "omit rho");
}

void requireFactors(const RunSpecification& s) {
    require(s.accounting != Accounting::Integers, "refine", "integer factors cannot be refined",
            "use 0, or another accounting");
    const Form* form = findForm(methodOf(s).formUnder(s));
    require(form != nullptr && form->coefficientBits != nullptr, "refine",
            fmt::format("layers stored as {} have no factors to refine",
                        form == nullptr ? "none" : form->name),
            "use 0, or a method and an accounting with a dictionary and codes, or two low-rank "
            "factors");
}

}  // namespace

void validate(const RunSpecification& s) {
    const Method& method = methodOf(s);
    require(!s.model.empty(), "model", "no model is given", "give a path or the word default");
    require(!s.layers.empty(), "layers", "is empty", "use .* for all layers");
    static_cast<void>(LayerPattern(s.layers));
    requireRanges(s);
    if (s.derived) {
        validate(*s.derived);
    }
    if (isDense(s)) {
        return;
    }
    requireRatio(s.cr);
    requireRho(s.rho);
    if (isSparse(method)) {
        static_cast<void>(sparseBudget(kRoomySide, kRoomySide, s.cr, s.rho, s.accounting,
                                       s.coefficientBits, s.dictionaryBits));
    }
    if (method.asBlockMethod() != nullptr) {
        requireNothingOfLayers(s);
    }
    requireRatios(s);
    require(s.allocation == &uniformRule() || (method.uses("allocation") && method.hasRatio(s)),
            "allocation",
            fmt::format(fmt::runtime(!method.needsCalibration()
                                         ? "method {} uses no text to measure the cost of errors"
                                     : method.hasRatio(s)
                                         ? "method {} has a single ratio for all layers"
                                         : "method {} has no ratio that could differ by layer"),
                        method.name()),
            "use uniform, or a calibrated method with ratios by layer, such as cospadi");
    require(s.propagation == PropagationKind::Off || method.uses("propagation"), "propagation",
            fmt::format(fmt::runtime(method.needsCalibration()
                                         ? "method {} is fitted to the inputs of the original model"
                                         : "method {} does not use the inputs of a layer"),
                        method.name()),
            "use off, or a calibrated method that can, such as cospadi");
    if (groupsLayers(s)) {
        require(isUniform(s), "groups", "layers that share cannot have individual ratios",
                "use allocation uniform, or groups none");
        require(s.propagation == PropagationKind::Off, "groups",
                "layers of several blocks cannot be compressed along the forward pass",
                "use propagation off, or groups none");
    }
    if (s.autoRho) {
        requireChoiceOfRho(s);
    }
    if (isRefined(s)) {
        requireFactors(s);
    }
    requireCoefficientBits(s, kRoomySide, kRoomySide);
    method.validate(s);
    if (method.needsCalibration()) {
        require(s.heldOut == 0 || s.calibration.sequences != 1, "held_out",
                "with one sequence, nothing is left for fitting", "give more sequences, or 0");
        CalibrationOptions options;
        options.text = "text";  // which one is not known yet
        options.sequences = s.calibration.sequences;
        options.length = s.calibration.length;
        try {
            options.validate();
        } catch (const Error& error) {  // which names the flag
            throw Error(error.problem(), "calibration." + error.where().substr(2), error.hint());
        }
    }
}

bool isDense(const RunSpecification& s) { return &methodOf(s) == &denseMethod(); }

bool isSparse(const RunSpecification& s) { return isSparse(methodOf(s)); }

bool isCalibrated(const RunSpecification& s) { return methodOf(s).needsCalibration(); }

bool hasRatio(const RunSpecification& s) { return methodOf(s).hasRatio(s); }

bool isUniform(const RunSpecification& s) {
    return s.allocation == &uniformRule() && s.ratios.empty();
}

bool isAllocated(const RunSpecification& s) { return s.autoRho || !isUniform(s); }

std::vector<double> rhoCandidatesOf(const RunSpecification& s) {
    return s.autoRho ? std::vector<double>(kRhoCandidates.begin(), kRhoCandidates.end())
                     : std::vector<double>();
}

bool isRefined(const RunSpecification& s) { return s.refine > 0; }

RefinementOptions refinementOptionsOf(const RunSpecification& s) {
    RefinementOptions options;
    options.learningRate = s.refineRate;
    options.seed = s.calibration.seed;
    return options;
}

std::int64_t refinementLength(const RunSpecification& s) {
    return isCalibrated(s) ? s.calibration.length : CalibrationSpecification().length;
}

std::string refinementWords(const RunSpecification& s) {
    return fmt::format("refined, {} × {} tokens",
                       s.refine - heldOutSequences(kRefinementHeldOut, s.refine),
                       refinementLength(s));
}

namespace {

// "-slice-12-bits": what was made of a run, behind its own label.
std::string derivedLabel(const RunSpecification& s) {
    if (!s.derived) {
        return "";
    }
    return fmt::format(
        "{}{}", s.derived->isSlice() ? "-slice" : "",
        s.derived->isRequantized()
            ? fmt::format("-{}-{}-bits", name(s.derived->rounding), s.derived->coefficientBits)
            : "");
}

std::string solvedLabel(const RunSpecification& s) {
    if (isDense(s)) {
        return "dense";
    }
    const std::string method = methodOf(s).name();
    const std::string shared =
        (s.autoRho ? std::string("-rho-") + kAutoRho : "") +
        (s.allocation == &uniformRule() ? "" : std::string("-") + s.allocation->name()) +
        (s.ratios.empty() ? "" : "-ratios") +
        (s.propagation != PropagationKind::Off ? std::string("-") + name(s.propagation) : "") +
        (isRefined(s) ? "-refined" : "");
    if (!hasRatio(s)) {
        std::string label = method + shared;
        for (const Option& option : methodOf(s).ownOptions()) {
            label += "-" + cospadi::textOf(valueOf(option, s.own));
        }
        std::replace(label.begin(), label.end(), ':', '-');  // which no id has
        return label;
    }
    if (!methodOf(s).uses("solver")) {
        return fmt::format("{}{}-cr{:.2f}", method, shared, s.cr);
    }
    return fmt::format("{}-{}{}-cr{:.2f}", method, name(s.solver), shared, s.cr);
}

}  // namespace

std::string shortLabel(const RunSpecification& s) { return solvedLabel(s) + derivedLabel(s); }

}  // namespace cospadi
