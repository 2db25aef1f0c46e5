#include "core/store/run_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/methods/method.h"
#include "core/store/paper_preset.h"

namespace cospadi {

namespace {

using nlohmann::json;
using Specification = RunSpecification;

const Specification kUsual;

bool hasSolver(const Specification& s, Solver solver) {
    return methodOf(s).uses("solver") && s.solver == name(solver);
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
    return isKsvd(s) && s.update == name(DictionaryUpdate::KsvdPower);
}

// What the accounting implies; 0 where it cannot be told (validate() says why).
int usualBits(const Specification& s) {
    try {
        Specification implied = s;
        implied.coefficientBits = 0;
        return methodOf(s).coefficientBits(matrixOptionsOf(implied), 4096, 4096);
    } catch (const Error&) {  // out of range
        return 0;
    }
}

// K-SVD stays with the inputs unless it is told otherwise, which it can be without calibration.
bool hasSide(const Specification& s) {
    return isFast(s) || (isKsvd(s) && !isCalibrated(s) && s.side == name(DictionarySide::Output));
}

// With 16 bits all are bfloat16.
bool hasFormat(const Specification& s) {
    return hasShortNumbers(s) && (s.coefficientBits > 0 ? s.coefficientBits : usualBits(s)) < 16;
}

bool hasShortMantissa(const Specification& s) {
    return isSparse(s) && hasFormat(s) &&
           (s.coefficientFormat == kUsual.coefficientFormat
                ? isKsvd(s)
                : s.coefficientFormat == name(CoefficientFormat::ShortMantissa));
}

// The solver with what belongs to it alone: "fast", "fast 40", "ksvd 60x8", "ksvd-exact 60",
// "mod 60".
std::string solverPart(const Specification& s, const std::set<std::string>& shown) {
    if (!methodOf(s).uses("solver")) {
        const bool own = s.iterations > 0 && methodOf(s).uses("iterations") &&
                         s.iterations != methodOf(s).usualIterations(matrixOptionsOf(s));
        return own && !shown.contains("iterations") ? fmt::format("{} iterations", s.iterations)
                                                    : "";
    }
    const Specification e = effective(s);
    const auto tells = [&](const char* field) { return !shown.contains(field); };
    std::string text;
    if (tells("update") && isKsvd(e) && e.update != kUsual.update) {
        text = e.update;
    } else if (tells("solver")) {
        text = e.solver;
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

std::string bitsPart(const Specification& s) {
    Specification implied = s;
    implied.coefficientBits = 0;
    return s.coefficientBits == 0 ||
                   effective(s).coefficientBits == effective(implied).coefficientBits
               ? ""
               : fmt::format("{} bits", s.coefficientBits);
}

// What decides over what the method takes by itself. Only the words that it goes by need to be
// known.
MatrixOptions decisiveOf(const Specification& s) {
    MatrixOptions options;
    options.method = &methodOf(s);
    options.solver = s.solver == name(Solver::Ksvd) ? Solver::Ksvd : Solver::Fast;
    options.accounting = s.accounting;
    return options;
}

std::string usualRefit(const Specification& s) {
    const MatrixOptions options = decisiveOf(s);
    return options.method->usuallyRefits(options) ? "on" : "off";
}

std::string usualFormat(const Specification& s) {
    const MatrixOptions options = decisiveOf(s);
    return name(options.method->usualCoefficientFormat(options));
}

std::string formatPart(const Specification& s) {
    return s.coefficientFormat == kUsual.coefficientFormat || s.coefficientFormat == usualFormat(s)
               ? ""
               : fmt::format("short {}s", s.coefficientFormat);
}

std::string refitPart(const Specification& s) {
    return s.refit == kUsual.refit || s.refit == usualRefit(s) ? ""
           : s.refit == "on"                                   ? "refit"
                                                               : "no refit";
}

// A field counts where its method uses it and, of those that depend on other fields, where `given`
// holds; else its value changes nothing. label: how it stands in a label, empty where it is as
// usual; null for what tables give a place of its own (ρ, seeds, calibration), and for what the
// solver's part says.
struct Setting {
    const char* field;
    bool (*given)(const Specification&);
    std::string (*label)(const Specification&);

    bool counts(const Specification& s, const Method& method) const {
        return method.uses(field) && (given == nullptr || given(s));
    }
};

const Setting kSettings[] = {
    {"solver", nullptr, nullptr},
    {"update", isKsvd, nullptr},
    {"iterations", nullptr, nullptr},
    {"power_iterations", hasPower, nullptr},
    {"cr", nullptr, nullptr},
    {"rho", nullptr, nullptr},
    {"accounting", hasAccounting,
     [](const Specification& s) {
         return s.accounting == kUsual.accounting ? std::string() : name(s.accounting);
     }},
    {"coefficient_bits", hasShortNumbers, bitsPart},
    {"coefficient_format", hasFormat, formatPart},
    {"refit", nullptr, refitPart},
    {"init", isKsvd,
     [](const Specification& s) {
         return s.init == kUsual.init ? std::string() : "init " + s.init;
     }},
    {"dead_atoms", isKsvd,
     [](const Specification& s) {
         return s.deadAtoms == kUsual.deadAtoms ? "" : std::string("dead atoms kept");
     }},
    {"coefficient_rounding", hasShortMantissa,
     [](const Specification& s) {
         return s.coefficientRounding == kUsual.coefficientRounding ? "" : std::string("truncated");
     }},
    {"side", hasSide,
     [](const Specification& s) {
         return s.side == kUsual.side ? std::string() : s.side + " side";
     }},
    {"tolerance", nullptr,
     [](const Specification& s) {
         return s.tolerance == 0 ? std::string() : fmt::format("tolerance {}", s.tolerance);
     }},
    {"ridge", nullptr,
     [](const Specification& s) {
         return s.ridge == 0 ? std::string() : fmt::format("ridge {}", s.ridge);
     }},
    {"allocation", nullptr,
     [](const Specification& s) { return s.allocation == kUsual.allocation ? "" : s.allocation; }},
    {"propagation", nullptr,
     [](const Specification& s) {
         return s.propagation == kUsual.propagation ? "" : s.propagation;
     }},
    {"seed", nullptr, nullptr}};

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
    s.model = run.model;
    s.modelSha256 = run.modelSha256;
    s.method = run.method;
    s.solver = run.solver.empty() ? s.solver : run.solver;
    s.layers = run.layers.empty() ? s.layers : run.layers;
    s.cr = run.cr;
    s.rho = run.rho;
    s.iterations = static_cast<int>(run.iterations);
    s.powerIterations =
        run.powerIterations > 0 ? static_cast<int>(run.powerIterations) : s.powerIterations;
    s.seed = static_cast<std::uint64_t>(run.seed);
    try {
        s.accounting = run.accounting.empty() ? s.accounting : accountingFromName(run.accounting);
        static_cast<void>(methodOf(s));
    } catch (const Error&) {
        return std::nullopt;
    }
    return s;
}

}  // namespace

RunSpecification withoutIdleSettings(RunSpecification s) {
    static const json usual = toJson(kUsual);
    const Method& method = methodOf(s);
    json fields = toJson(s);
    bool changed = false;
    for (const Setting& setting : kSettings) {
        if (!setting.counts(s, method) && fields[setting.field] != usual.at(setting.field)) {
            fields[setting.field] = usual.at(setting.field);
            changed = true;
        }
    }
    if (changed) {
        s = runSpecificationFromJson(fields);
    }
    std::erase_if(s.own, [&](const auto& own) { return !method.uses(own.first); });
    if (formatPart(s).empty()) {
        s.coefficientFormat = kUsual.coefficientFormat;
    }
    if (refitPart(s).empty()) {
        s.refit = kUsual.refit;
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
    if (isKsvd(s) && s.update == name(DictionaryUpdate::KsvdPower) && s.powerIterations == 0) {
        s.update = name(DictionaryUpdate::KsvdExact);
    }
    s = withoutIdleSettings(std::move(s));
    if (!isCalibrated(s) && s.init == name(DictionaryInit::WeightColumns)) {
        s.init = name(DictionaryInit::RandomColumns);  // nothing is whitened
    }
    if (methodOf(s).uses("iterations") && s.iterations == 0) {
        s.iterations = methodOf(s).usualIterations(matrixOptionsOf(s));
    }
    if (hasShortNumbers(s) && s.coefficientBits == 0 &&
        s.allocation == kUsual.allocation) {  // else by the layer's CR
        s.coefficientBits = usualBits(s);
    }
    return s;
}

std::string methodLabel(const RunSpecification& s, const std::set<std::string>& shown) {
    // Where a table shows a field that the preset fixes, its values differ: no row of it is that.
    const bool tells = std::none_of(shown.begin(), shown.end(), [](const std::string& field) {
        return paperFields().contains(field);
    });
    if (tells && isPaper(s)) {
        return s.method + " (paper)";
    }
    const Method& method = methodOf(s);
    std::string parts = solverPart(s, shown);
    for (const Setting& setting : kSettings) {
        if (setting.label != nullptr && setting.counts(s, method) &&
            !shown.contains(setting.field)) {
            const std::string part = setting.label(s);
            parts += (parts.empty() || part.empty() ? "" : ", ") + part;
        }
    }
    for (const Option& option : method.ownOptions()) {
        const OptionValue& value = valueOf(option, s.own);
        if (value != option.usual && !shown.contains(option.name)) {
            std::string words = option.title;
            std::transform(words.begin(), words.end(), words.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", words, textOf(value));
        }
    }
    return parts.empty() ? s.method : fmt::format("{} ({})", s.method, parts);
}

std::set<std::string> labelledSettings() {
    std::set<std::string> fields(std::begin(kSolverPart), std::end(kSolverPart));
    fields.insert("method");
    for (const Setting& setting : kSettings) {
        if (setting.label != nullptr) {
            fields.insert(setting.field);
        }
    }
    for (const Option* option : allOwnOptions()) {
        fields.insert(option->name);
    }
    return fields;
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
        RunSpecification s = runSpecificationFromJson(object);
        static_cast<void>(methodOf(s));
        return s;
    } catch (const Error&) {  // of another program or version
        return std::nullopt;
    }
}

std::map<std::string, std::string> settingsOf(const RunSpecification& s) {
    const RunSpecification used = effective(s);
    const Method& method = methodOf(used);
    std::map<std::string, std::string> fields = flattened(toJson(used));
    for (const Setting& setting : kSettings) {
        if (!setting.counts(used, method)) {
            fields.erase(setting.field);
        }
    }
    if (!isCalibrated(s)) {
        std::erase_if(fields,
                      [](const auto& field) { return field.first.starts_with("calibration."); });
    }
    if (isDense(s)) {
        fields.erase("layers");
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
