#include "core/store/method_label.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/lower_case.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/methods/allocation_words.h"
#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/store/idle_settings.h"
#include "core/store/named_settings.h"
#include "core/store/paper_preset.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

using Specification = RunSpecification;  // here: without idle settings

// The solver with what belongs to it alone: "fast", "fast 40", "ksvd 60x8", "ksvd-exact 60",
// "mod 60".
std::string solverPart(const Specification& s, const std::set<std::string>& shown) {
    const auto tells = [&](const char* field) { return !shown.contains(field); };
    if (!methodOf(s).uses("solver")) {
        const bool own = s.iterations > 0 && s.iterations != methodOf(s).usualIterations(s);
        return own && tells("iterations") ? fmt::format("{} iterations", s.iterations) : "";
    }
    const Specification e = effective(s);
    const bool isKsvd = e.solver == Solver::Ksvd;
    std::string text;
    if (tells("update") && isKsvd && !isAsUsual(e, "update")) {
        text = name(e.update);
    } else if (tells("solver")) {
        text = name(e.solver);
    }
    const bool tellsIterations = tells("iterations") && (isKsvd || s.iterations > 0);
    if (tellsIterations) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", e.iterations);
    }
    if (counts(e, "power_iterations") && tells("power_iterations")) {
        text += tellsIterations && tells("update") ? fmt::format("x{}", e.powerIterations)
                : !isAsUsual(e, "power_iterations")
                    ? fmt::format("{}power {}", text.empty() ? "" : " ", e.powerIterations)
                    : "";
    }
    return text;
}

std::string titled(const Option& option, const std::string& value) {
    return lowerCase(option.title) + " " + value;
}

std::string titledPart(const Specification& s, const Option& option) {
    const nlohmann::json value = settingOf(s, option.name);
    return titled(option, value.is_string()         ? value.get<std::string>()
                          : value.is_number_float() ? fmt::format("{}", value.get<double>())
                                                    : value.dump());
}

std::string wordPart(const Specification& s, const Option& option) {
    return settingOf(s, option.name).get<std::string>();
}

std::string bitsPart(const Specification& s, const Option& /*option*/) {
    Specification implied = s;
    implied.coefficientBits = 0;
    return effective(s).coefficientBits == effective(implied).coefficientBits
               ? ""
               : fmt::format("{} bits", s.coefficientBits);
}

// How a setting that counts and is not as usual stands in a label. part: null for what tables give
// a place of its own (seeds, calibration), and for what the solver's part says. tellsAll: whether
// labels tell every value; those of ρ tell auto alone, as numbers have a place of their own.
struct Rule {
    const char* field;
    std::string (*part)(const Specification&, const Option&);
    bool tellsAll = true;
};

// In the order of labels.
const Rule kRules[] = {
    {"solver", nullptr},
    {"update", nullptr},
    {"iterations", nullptr},
    {"power_iterations", nullptr},
    {"cr", nullptr},
    {"rho",
     [](const Specification& s, const Option&) {
         return s.autoRho ? std::string("ρ ") + kAutoRho : std::string();
     },
     false},
    {"accounting", wordPart},
    {"coefficient_bits", bitsPart},
    {"coefficient_format",
     [](const Specification& s, const Option& option) {
         return fmt::format("short {}s", wordPart(s, option));
     }},
    {"refit",
     [](const Specification& s, const Option&) -> std::string {
         return *s.refit ? "refit" : "no refit";
     }},
    {"coder", wordPart},
    {"init",
     [](const Specification& s, const Option& option) { return "init " + wordPart(s, option); }},
    {"dead_atoms",
     [](const Specification&, const Option&) { return std::string("dead atoms kept"); }},
    {"coefficient_rounding",
     [](const Specification&, const Option&) { return std::string("truncated"); }},
    {"side",
     [](const Specification& s, const Option& option) { return wordPart(s, option) + " side"; }},
    {"tolerance", titledPart},
    {"ridge", titledPart},
    {"allocation", [](const Specification& s,
                      const Option&) { return std::string(s.allocation->words().label); }},
    {"propagation", wordPart},
    {"refine", [](const Specification& s, const Option&) { return refinementWords(s); }},
    {"refine_rate",
     [](const Specification& s, const Option&) { return fmt::format("rate {}", s.refineRate); }},
    {"held_out", titledPart},
    {"seed", nullptr}};

struct LabelledOption {
    const Option* option;
    Rule rule;
};

// All shared options; one without a rule stands last, by its title.
const std::vector<LabelledOption>& labelledOptions() {
    static const std::vector<LabelledOption> all = [] {
        std::map<std::string, const Option*> left;
        for (const Option& option : sharedOptions()) {
            left.emplace(option.name, &option);
        }
        std::vector<LabelledOption> options;
        for (const Rule& rule : kRules) {
            options.push_back({left.at(rule.field), rule});
            left.erase(rule.field);
        }
        for (const auto& [name, option] : left) {
            options.push_back({option, {option->name, titledPart}});
        }
        return options;
    }();
    return all;
}

// Fields of the solver's part of a label.
const char* const kSolverPart[] = {"solver", "update", "iterations", "power_iterations"};

std::string derivationPart(const Specification& s, const std::set<std::string>& shown) {
    if (!s.derived->isRequantized()) {
        return "";
    }
    return !shown.contains("coefficient_bits") ? requantizationWords(*s.derived) + " afterwards"
           : s.derived->rounding == CoefficientRounding::Truncate ? "truncated afterwards"
                                                                  : "rounded afterwards";
}

}  // namespace

std::string methodLabel(const RunSpecification& specification, const std::set<std::string>& shown) {
    const Method& method = methodOf(specification);
    // Where a table shows a field that the preset fixes, its values differ: no row of it is that.
    const bool tells = std::none_of(shown.begin(), shown.end(), [](const std::string& field) {
        return paperFields().contains(field);
    });
    if (tells && specification.ratios.empty() && isPaper(specification)) {
        return std::string(method.name()) + " (paper)";
    }
    const Specification s = withoutIdleSettings(specification);
    std::string parts = solverPart(s, shown);
    const auto add = [&parts](const std::string& part) {
        parts += (parts.empty() || part.empty() ? "" : ", ") + part;
    };
    if (!s.ratios.empty() && !shown.contains("allocation")) {
        add("given ratios");
    }
    for (const auto& [option, rule] : labelledOptions()) {
        if (rule.part != nullptr && !shown.contains(option->name) && !isAsUsual(s, option->name)) {
            add(rule.part(s, *option));
        }
    }
    for (const Option& option : method.ownOptions()) {
        const OptionValue& value = valueOf(option, s.own);
        if (value != option.usual && !shown.contains(option.name)) {
            add(titled(option, textOf(value)));
        }
    }
    if (s.derived) {
        add(isSliceThatTells(s) ? "slice" : "");
        add(derivationPart(s, shown));
    }
    return parts.empty() ? method.name() : fmt::format("{} ({})", method.name(), parts);
}

std::set<std::string> labelledSettings() {
    std::set<std::string> fields(std::begin(kSolverPart), std::end(kSolverPart));
    fields.insert({"method", "slice_of"});
    for (const auto& [option, rule] : labelledOptions()) {
        if (rule.part != nullptr && rule.tellsAll) {
            fields.insert(option->name);
        }
    }
    for (const Option* option : allOwnOptions()) {
        fields.insert(option->name);
    }
    return fields;
}

}  // namespace cospadi
