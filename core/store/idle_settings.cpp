#include "core/store/idle_settings.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/store/named_settings.h"

namespace cospadi {

namespace {

using Specification = RunSpecification;

bool hasSolver(const Specification& s, Solver solver) {
    return methodOf(s).uses("solver") && s.solver == solver;
}
bool isKsvd(const Specification& s) { return hasSolver(s, Solver::Ksvd); }
bool isFast(const Specification& s) { return hasSolver(s, Solver::Fast); }
// Low rank has bfloat16 factors, as published, but where what they save shall buy rank.
bool hasShortNumbers(const Specification& s) { return isSparse(s) || isPacked(s.accounting); }
bool hasIntegers(const Specification& s) { return s.accounting == Accounting::Integers; }
// Else nothing that it stores depends on the accounting.
bool hasAccounting(const Specification& s) {
    return hasShortNumbers(s) || s.accounting == Accounting::Remapped;
}
bool sharesLayers(const Specification& s) { return groupsLayers(s); }
// Grouped codes have that of their pattern.
bool hasOwnRho(const Specification& s) { return !codePatternOf(s).isGrouped(); }
bool hasPower(const Specification& s) {
    return isKsvd(s) && s.update == DictionaryUpdate::KsvdPower;
}

// K-SVD stays with the inputs unless it is told otherwise, which it can be without calibration.
bool hasSide(const Specification& s) {
    return isFast(s) || (isKsvd(s) && !isCalibrated(s) && s.side == DictionarySide::Output);
}

// With 16 bits all are bfloat16.
bool hasFormat(const Specification& s) {
    return hasShortNumbers(s) && !hasIntegers(s) &&
           (s.coefficientBits > 0 ? s.coefficientBits : impliedCoefficientBits(s)) < 16;
}

bool hasShortMantissa(const Specification& s) {
    return isSparse(s) && hasFormat(s) &&
           (s.coefficientFormat ? *s.coefficientFormat == CoefficientFormat::ShortMantissa
                                : isKsvd(s));
}

// Of settings that depend on other fields, whether they change anything. Another counts wherever
// its method uses it.
const std::map<std::string_view, bool (*)(const Specification&)>& conditions() {
    static const std::map<std::string_view, bool (*)(const Specification&)> all{
        {"update", isKsvd},
        {"power_iterations", hasPower},
        {"cr", hasRatio},
        {"rho", hasOwnRho},
        {"code_pattern", isFast},
        {"accounting", hasAccounting},
        {"coefficient_bits", hasShortNumbers},
        {"dictionary_bits", hasIntegers},
        {"coefficient_format", hasFormat},
        {"coder", isKsvd},
        {"init", isKsvd},
        {"dead_atoms", isKsvd},
        {"coefficient_rounding", hasShortMantissa},
        {"side", hasSide},
        {"allocation", hasRatio},
        {"group_metric", sharesLayers},
        {"refine_rate", isRefined}};
    return all;
}

}  // namespace

bool counts(const RunSpecification& s, const char* setting) {
    if (!methodOf(s).uses(setting)) {
        return false;
    }
    const auto condition = conditions().find(setting);
    return condition == conditions().end() || condition->second(s);
}

bool canCount(const RunSpecification& specification, const Option& option) {
    if (counts(specification, option.name)) {
        return true;
    }
    RunSpecification other = specification;
    return methodOf(specification).uses(option.name) &&
           std::any_of(option.choices.begin(), option.choices.end(),
                       [&](const OptionChoice& choice) {
                           setSetting(other, option.name, choice.word);
                           return counts(other, option.name);
                       });
}

int impliedCoefficientBits(const RunSpecification& s) {
    if (hasIntegers(s) || (s.autoRho && s.accounting == Accounting::Eq11)) {
        return 0;  // by the matrix
    }
    try {
        Specification implied = s;
        implied.coefficientBits = 0;
        return methodOf(s).coefficientBits(implied, 4096, 4096);
    } catch (const Error&) {  // out of range
        return 0;
    }
}

RunSpecification withoutIdleSettings(RunSpecification s) {
    const Method& method = methodOf(s);
    std::vector<const char*> idle;  // what counts depends on others, as they came
    for (const Option& option : sharedOptions()) {
        if (!counts(s, option.name)) {
            idle.push_back(option.name);
        }
    }
    for (const char* setting : idle) {
        setAsUsual(s, setting);
    }
    std::erase_if(s.own, [&](const auto& own) { return !method.uses(own.first); });
    if (s.coefficientFormat == method.usualCoefficientFormat(s)) {
        s.coefficientFormat.reset();
    }
    if (s.refit == method.usuallyRefits(s)) {
        s.refit.reset();
    }
    if (!isCalibrated(s)) {
        CalibrationSpecification none;
        none.sequences = 0;
        none.length = 0;
        s.calibration = none;
    }
    return s;
}

}  // namespace cospadi
