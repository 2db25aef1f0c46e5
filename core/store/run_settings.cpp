#include "core/store/run_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/methods/allocation_words.h"
#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/store/paper_preset.h"
#include "core/store/shared_settings.h"

namespace cospadi {

namespace {

using nlohmann::json;
using Specification = RunSpecification;

const Specification kUsual;

bool hasSolver(const Specification& s, Solver solver) {
    return methodOf(s).uses("solver") && s.solver == solver;
}
bool isKsvd(const Specification& s) { return hasSolver(s, Solver::Ksvd); }
bool isFast(const Specification& s) { return hasSolver(s, Solver::Fast); }
// Low rank has bfloat16 factors, as published, but where what they save shall buy rank.
bool hasShortNumbers(const Specification& s) { return isSparse(s) || isPacked(s.accounting); }
// Else nothing that it stores depends on the accounting.
bool hasAccounting(const Specification& s) {
    return hasShortNumbers(s) || s.accounting == Accounting::Remapped;
}
bool hasPower(const Specification& s) {
    return isKsvd(s) && s.update == DictionaryUpdate::KsvdPower;
}

// What the accounting implies; 0 where it cannot be told, as it goes by each matrix' own ρ, or is
// out of range (validate() says which).
int usualBits(const Specification& s) {
    if (s.autoRho && s.accounting == Accounting::Eq11) {
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

// K-SVD stays with the inputs unless it is told otherwise, which it can be without calibration.
bool hasSide(const Specification& s) {
    return isFast(s) || (isKsvd(s) && !isCalibrated(s) && s.side == DictionarySide::Output);
}

// With 16 bits all are bfloat16.
bool hasFormat(const Specification& s) {
    return hasShortNumbers(s) && (s.coefficientBits > 0 ? s.coefficientBits : usualBits(s)) < 16;
}

bool hasShortMantissa(const Specification& s) {
    return isSparse(s) && hasFormat(s) &&
           (s.coefficientFormat ? *s.coefficientFormat == CoefficientFormat::ShortMantissa
                                : isKsvd(s));
}

// The solver with what belongs to it alone: "fast", "fast 40", "ksvd 60x8", "ksvd-exact 60",
// "mod 60".
std::string solverPart(const Specification& s, const std::set<std::string>& shown) {
    if (!methodOf(s).uses("solver")) {
        const bool own = s.iterations > 0 && methodOf(s).uses("iterations") &&
                         s.iterations != methodOf(s).usualIterations(s);
        return own && !shown.contains("iterations") ? fmt::format("{} iterations", s.iterations)
                                                    : "";
    }
    const Specification e = effective(s);
    const auto tells = [&](const char* field) { return !shown.contains(field); };
    std::string text;
    if (tells("update") && isKsvd(e) && e.update != kUsual.update) {
        text = name(e.update);
    } else if (tells("solver")) {
        text = name(e.solver);
    }
    const bool counts = tells("iterations") && (isKsvd(e) || s.iterations > 0);
    if (counts) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", e.iterations);
    }
    if (hasPower(e) && tells("power_iterations")) {
        text += counts && tells("update") ? fmt::format("x{}", e.powerIterations)
                : e.powerIterations != kUsual.powerIterations
                    ? fmt::format("{}power {}", text.empty() ? "" : " ", e.powerIterations)
                    : "";
    }
    return text;
}

// Whether it names another than what its method takes by itself.
bool choosesFormat(const Specification& s) {
    return s.coefficientFormat && *s.coefficientFormat != methodOf(s).usualCoefficientFormat(s);
}
bool choosesRefit(const Specification& s) {
    return s.refit && *s.refit != methodOf(s).usuallyRefits(s);
}

std::string titled(const Option& option, const std::string& value) {
    std::string words = option.title;
    std::transform(words.begin(), words.end(), words.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return words + " " + value;
}

// Parts of labels, of settings that are not as usual.
std::string titledPart(const Specification& s, const Option& option) {
    const json value = settingOf(s, option.name);
    return titled(option, value.is_string()         ? value.get<std::string>()
                          : value.is_number_float() ? fmt::format("{}", value.get<double>())
                                                    : value.dump());
}

std::string wordPart(const Specification& s, const Option& option) {
    return wordOf(s, option.name);
}

std::string bitsPart(const Specification& s, const Option& /*option*/) {
    Specification implied = s;
    implied.coefficientBits = 0;
    return effective(s).coefficientBits == effective(implied).coefficientBits
               ? ""
               : fmt::format("{} bits", s.coefficientBits);
}

std::string formatPart(const Specification& s, const Option& option) {
    return choosesFormat(s) ? fmt::format("short {}s", wordOf(s, option.name)) : "";
}

std::string refitPart(const Specification& s, const Option& /*option*/) {
    return !choosesRefit(s) ? "" : *s.refit ? "refit" : "no refit";
}

// How a setting counts whose description does not say it all. given: of those that depend on other
// fields, whether it changes anything; null where it always does. label: how it stands in a label,
// null for what tables give a place of its own (seeds, calibration), and for what the solver's
// part says. tellsAll: whether labels tell every value; those of ρ tell auto alone, as numbers have
// a place of their own.
struct Rule {
    const char* field;
    bool (*given)(const Specification&);
    std::string (*label)(const Specification&, const Option&);
    bool tellsAll = true;
};

// In the order of labels.
const Rule kRules[] = {
    {"solver", nullptr, nullptr},
    {"update", isKsvd, nullptr},
    {"iterations", nullptr, nullptr},
    {"power_iterations", hasPower, nullptr},
    {"cr", hasRatio, nullptr},
    {"rho", nullptr,
     [](const Specification& s, const Option&) {
         return s.autoRho ? std::string("ρ ") + kAutoRho : std::string();
     },
     false},
    {"accounting", hasAccounting, wordPart},
    {"coefficient_bits", hasShortNumbers, bitsPart},
    {"coefficient_format", hasFormat, formatPart},
    {"refit", nullptr, refitPart},
    {"init", isKsvd,
     [](const Specification& s, const Option& option) { return "init " + wordPart(s, option); }},
    {"dead_atoms", isKsvd,
     [](const Specification&, const Option&) { return std::string("dead atoms kept"); }},
    {"coefficient_rounding", hasShortMantissa,
     [](const Specification&, const Option&) { return std::string("truncated"); }},
    {"side", hasSide,
     [](const Specification& s, const Option& option) { return wordPart(s, option) + " side"; }},
    {"tolerance", nullptr, titledPart},
    {"ridge", nullptr, titledPart},
    {"allocation", hasRatio,
     [](const Specification& s, const Option&) {
         return std::string(s.allocation->words().label);
     }},
    {"propagation", nullptr, wordPart},
    {"held_out", nullptr, titledPart},
    {"seed", nullptr, nullptr}};

// A shared option and its rule. It counts where its method uses it and the rule allows; else its
// value changes nothing.
struct Setting {
    const Option* option;
    Rule rule;

    bool counts(const Specification& s, const Method& method) const {
        return method.uses(option->name) && (rule.given == nullptr || rule.given(s));
    }
};

// One without a rule counts wherever its method uses it, and stands in labels by its title.
const std::vector<Setting>& sharedSettings() {
    static const std::vector<Setting> all = [] {
        std::map<std::string, const Option*> left;
        for (const Option& option : sharedOptions()) {
            left.emplace(option.name, &option);
        }
        std::vector<Setting> settings;
        for (const Rule& rule : kRules) {
            settings.push_back({left.at(rule.field), rule});
            left.erase(rule.field);
        }
        for (const auto& [name, option] : left) {
            settings.push_back({option, {option->name, nullptr, titledPart}});
        }
        return settings;
    }();
    return all;
}

// Fields of the solver's part of a label.
const char* const kSolverPart[] = {"solver", "update", "iterations", "power_iterations"};

void flatten(const json& object, const std::string& prefix,
             std::map<std::string, std::string>& fields) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            flatten(value, prefix + key + ".", fields);
        } else {
            fields[prefix + key] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    }
}

// Whether what its layers were solved as depends on the layers that the slice left behind.
bool dependsOnOthers(const Specification& s) {
    return isAllocated(s) || s.propagation != PropagationKind::Off;
}

// In the place of `derived` and what it overrules.
void tellDerivation(const Specification& s, std::map<std::string, std::string>& fields) {
    std::erase_if(fields, [](const auto& field) { return field.first.starts_with("derived."); });
    if (s.derived->isSlice() && dependsOnOthers(s)) {
        fields["slice_of"] = s.derived->sliceOf;
    }
    if (s.derived->isRequantized()) {
        Specification solved = s;
        solved.derived.reset();
        fields["solved_bits"] = std::to_string(storedCoefficientBits(solved));
        fields["coefficient_bits"] = std::to_string(s.derived->coefficientBits);
        fields["coefficient_rounding"] = name(s.derived->rounding);
    }
}

// A path gives way to the hash of what it names.
void preferHash(std::map<std::string, std::string>& fields, const std::string& path,
                const std::string& hash) {
    const auto known = fields.find(hash);
    if (known != fields.end()) {
        if (!known->second.empty()) {
            fields[path] = known->second;
        }
        fields.erase(hash);
    }
}

std::map<std::string, std::string> flattened(const json& object) {
    std::map<std::string, std::string> fields;
    if (object.is_object()) {
        flatten(object, "", fields);
    }
    preferHash(fields, "model", "model_sha256");
    preferHash(fields, "calibration.text", "calibration.text_sha256");
    return fields;
}

// As far as a row that was not read from a run's files says it.
std::optional<Specification> ofColumns(const RunRow& run) {
    Specification s;
    const Method* method = findMethod(run.method);
    if (method == nullptr) {
        return std::nullopt;
    }
    s.method = method;
    s.model = run.model;
    s.modelSha256 = run.modelSha256;
    s.layers = run.layers.empty() ? s.layers : run.layers;
    s.cr = run.cr;
    s.autoRho = run.hasAutoRho();
    s.rho = s.autoRho ? s.rho : run.rho;
    s.iterations = static_cast<int>(run.iterations);
    s.powerIterations =
        run.powerIterations > 0 ? static_cast<int>(run.powerIterations) : s.powerIterations;
    s.seed = static_cast<std::uint64_t>(run.seed);
    try {
        s.solver = run.solver.empty() ? s.solver : solverFromName(run.solver);
        s.accounting = run.accounting.empty() ? s.accounting : accountingFromName(run.accounting);
    } catch (const Error&) {
        return std::nullopt;
    }
    return s;
}

}  // namespace

RunSpecification withoutIdleSettings(RunSpecification s) {
    const Method& method = methodOf(s);
    std::vector<const char*> idle;  // what counts depends on others, as they came
    for (const Setting& setting : sharedSettings()) {
        if (!setting.counts(s, method)) {
            idle.push_back(setting.option->name);
        }
    }
    for (const char* setting : idle) {
        setAsUsual(s, setting);
    }
    std::erase_if(s.own, [&](const auto& own) { return !method.uses(own.first); });
    if (!choosesFormat(s)) {
        s.coefficientFormat.reset();
    }
    if (!choosesRefit(s)) {
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

RunSpecification effective(RunSpecification s) {
    if (isKsvd(s) && s.update == DictionaryUpdate::KsvdPower && s.powerIterations == 0) {
        s.update = DictionaryUpdate::KsvdExact;
    }
    s = withoutIdleSettings(std::move(s));
    if (!isCalibrated(s) && s.init == DictionaryInit::WeightColumns) {
        s.init = DictionaryInit::RandomColumns;  // nothing is whitened
    }
    if (methodOf(s).uses("iterations") && s.iterations == 0) {
        s.iterations = methodOf(s).usualIterations(s);
    }
    if (hasShortNumbers(s) && s.coefficientBits == 0 && isUniform(s)) {  // else by the layer's CR
        s.coefficientBits = usualBits(s);
    }
    return s;
}

std::string methodLabel(const RunSpecification& s, const std::set<std::string>& shown) {
    // Where a table shows a field that the preset fixes, its values differ: no row of it is that.
    const bool tells = std::none_of(shown.begin(), shown.end(), [](const std::string& field) {
        return paperFields().contains(field);
    });
    if (tells && isPaper(s) && s.ratios.empty()) {
        return std::string(s.method->name()) + " (paper)";
    }
    const Method& method = methodOf(s);
    std::string parts = solverPart(s, shown);
    const auto add = [&parts](const std::string& part) {
        parts += (parts.empty() || part.empty() ? "" : ", ") + part;
    };
    if (!s.ratios.empty() && !shown.contains("allocation")) {
        add("given ratios");
    }
    for (const Setting& setting : sharedSettings()) {
        const char* field = setting.option->name;
        if (setting.rule.label != nullptr && setting.counts(s, method) && !shown.contains(field) &&
            !isAsUsual(s, field)) {
            add(setting.rule.label(s, *setting.option));
        }
    }
    for (const Option& option : method.ownOptions()) {
        const OptionValue& value = valueOf(option, s.own);
        if (value != option.usual && !shown.contains(option.name)) {
            add(titled(option, textOf(value)));
        }
    }
    if (s.derived) {
        add(s.derived->isSlice() && dependsOnOthers(s) ? "slice" : "");
        add(!s.derived->isRequantized()           ? ""
            : !shown.contains("coefficient_bits") ? requantizationWords(*s.derived) + " afterwards"
            : s.derived->rounding == CoefficientRounding::Truncate ? "truncated afterwards"
                                                                   : "rounded afterwards");
    }
    return parts.empty() ? method.name() : fmt::format("{} ({})", method.name(), parts);
}

std::set<std::string> labelledSettings() {
    std::set<std::string> fields(std::begin(kSolverPart), std::end(kSolverPart));
    fields.insert({"method", "slice_of"});
    for (const Setting& setting : sharedSettings()) {
        if (setting.rule.label != nullptr && setting.rule.tellsAll) {
            fields.insert(setting.option->name);
        }
    }
    for (const Option* option : allOwnOptions()) {
        fields.insert(option->name);
    }
    return fields;
}

int storedCoefficientBits(const RunSpecification& s) {
    if (s.derived && s.derived->isRequantized()) {
        return s.derived->coefficientBits;
    }
    if (!methodOf(s).uses("coefficient_bits") || s.accounting == Accounting::Remapped) {
        return 0;
    }
    return hasShortNumbers(s) ? effective(s).coefficientBits : 16;
}

std::optional<RunSpecification> specificationOf(const RunRow& run) {
    if (run.specification.empty()) {
        return ofColumns(run);
    }
    const json object = json::parse(run.specification, nullptr, false);
    if (!object.is_object()) {
        return std::nullopt;
    }
    try {
        return runSpecificationFromJson(object);
    } catch (const Error&) {  // of another program or version
        return std::nullopt;
    }
}

std::map<std::string, std::string> settingsOf(const RunSpecification& s) {
    const RunSpecification used = effective(s);
    const Method& method = methodOf(used);
    std::map<std::string, std::string> fields = flattened(toJson(used));
    for (const Setting& setting : sharedSettings()) {
        const char* name = setting.option->name;
        if (!setting.counts(used, method)) {
            fields.erase(name);
        } else if (!fields.contains(name)) {  // left out of JSON, as usual
            fields[name] = settingOf(used, name).dump();
        }
    }
    if (!isCalibrated(s)) {
        std::erase_if(fields,
                      [](const auto& field) { return field.first.starts_with("calibration."); });
    }
    if (isDense(s)) {
        fields.erase("layers");
    }
    if (s.derived) {
        tellDerivation(s, fields);
    }
    for (const char* chosen : {"iterations", "coefficient_bits"}) {
        if (const auto field = fields.find(chosen); field != fields.end() && field->second == "0") {
            field->second = "usual";
        }
    }
    return fields;
}

std::map<std::string, std::string> settingsOf(const RunRow& run) {
    const std::optional<RunSpecification> specification = specificationOf(run);
    return specification ? settingsOf(*specification)
                         : flattened(json::parse(run.specification, nullptr, false));
}

}  // namespace cospadi
