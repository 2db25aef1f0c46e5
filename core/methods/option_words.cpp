// The words of the command line, files and tables for the settings of solvers.
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/methods/matrix_options.h"
#include "core/methods/propagation_kind.h"

namespace cospadi {

namespace {

// The value of this name; else an Error for the field, saying what is wrong with it.
template <class Value, std::size_t kCount>
Value valueNamed(const std::string& word, const Value (&values)[kCount], const char* isNot,
                 const char* field, const char* hint) {
    for (const Value value : values) {
        if (word == name(value)) {
            return value;
        }
    }
    throw Error(fmt::format("'{}' {}", word, isNot), field, hint);
}

}  // namespace

const char* name(Solver solver) { return solver == Solver::Fast ? "fast" : "ksvd"; }

Solver solverFromName(const std::string& name) {
    return valueNamed(name, {Solver::Fast, Solver::Ksvd}, "is not a solver", "solver",
                      "use fast or ksvd");
}

const char* name(DictionaryInit init) {
    switch (init) {
        case DictionaryInit::RandomColumns:
            return "random";
        case DictionaryInit::Gaussian:
            return "gaussian";
        case DictionaryInit::Svd:
            return "svd";
        case DictionaryInit::WeightColumns:
            return "weight";
    }
    return "unknown";
}

const char* name(DictionaryUpdate update) {
    switch (update) {
        case DictionaryUpdate::KsvdPower:
            return "ksvd";
        case DictionaryUpdate::KsvdExact:
            return "ksvd-exact";
        case DictionaryUpdate::KsvdSketch:
            return "ksvd-randomized";
        case DictionaryUpdate::Mod:
            return "mod";
        case DictionaryUpdate::Online:
            return "online";
    }
    return "unknown";
}

DictionaryInit dictionaryInitFromName(const std::string& name) {
    return valueNamed(name,
                      {DictionaryInit::RandomColumns, DictionaryInit::Gaussian, DictionaryInit::Svd,
                       DictionaryInit::WeightColumns},
                      "is not an initialisation", "init", "use random, gaussian, svd or weight");
}

DictionaryUpdate dictionaryUpdateFromName(const std::string& name) {
    return valueNamed(
        name,
        {DictionaryUpdate::KsvdPower, DictionaryUpdate::KsvdExact, DictionaryUpdate::KsvdSketch,
         DictionaryUpdate::Mod, DictionaryUpdate::Online},
        "is not a dictionary update", "update",
        "use ksvd (power iterations), ksvd-exact, ksvd-randomized, mod or online");
}

const char* name(Coder coder) { return coder == Coder::Omp ? "omp" : "lasso"; }

Coder coderFromName(const std::string& name) {
    return valueNamed(name, {Coder::Omp, Coder::Lasso}, "is not a coder", "coder",
                      "use omp or lasso");
}

const char* name(DeadAtoms deadAtoms) {
    return deadAtoms == DeadAtoms::Replace ? "replace" : "keep";
}

DeadAtoms deadAtomsFromName(const std::string& name) {
    return valueNamed(name, {DeadAtoms::Replace, DeadAtoms::Keep},
                      "is not a treatment of dead atoms", "dead_atoms", "use replace or keep");
}

const char* name(CoefficientRounding rounding) {
    return rounding == CoefficientRounding::Nearest ? "nearest" : "truncate";
}

CoefficientRounding coefficientRoundingFromName(const std::string& name) {
    return valueNamed(name, {CoefficientRounding::Nearest, CoefficientRounding::Truncate},
                      "is not a rounding of coefficients", "coefficient_rounding",
                      "use nearest or truncate");
}

const char* refitName(std::optional<bool> refit) { return !refit ? "auto" : *refit ? "on" : "off"; }

std::optional<bool> refitFromName(const std::string& name) {
    for (const std::optional<bool> refit :
         {std::optional<bool>(), std::optional<bool>(true), std::optional<bool>(false)}) {
        if (name == refitName(refit)) {
            return refit;
        }
    }
    throw Error(fmt::format("'{}' is not a setting of refit", name), "refit",
                "use auto, on or off");
}

const char* name(PropagationKind propagation) {
    switch (propagation) {
        case PropagationKind::Off:
            return "off";
        case PropagationKind::Input:
            return "input";
        case PropagationKind::Target:
            return "target";
    }
    return "unknown";
}

PropagationKind propagationFromName(const std::string& name) {
    for (const PropagationKind propagation :
         {PropagationKind::Off, PropagationKind::Input, PropagationKind::Target}) {
        if (name == cospadi::name(propagation)) {
            return propagation;
        }
    }
    throw Error(fmt::format("'{}' is not a kind of propagation", name), "propagation",
                "use off, input or target");
}

}  // namespace cospadi
