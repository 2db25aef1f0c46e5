#include "core/store/run_specification.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/calibration/calibration.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/store/paper_preset.h"

namespace cospadi {

namespace {

// Reads known fields one by one and complains about whatever is left.
class FieldReader {
  public:
    FieldReader(const nlohmann::json& json, std::string prefix)
        : m_json(json), m_prefix(std::move(prefix)) {
        if (!json.is_object()) {
            throw Error("is not a JSON object", m_prefix.empty() ? "specification" : m_prefix,
                        "see docs/formats.md");
        }
    }

    template <typename T>
    void read(const char* field, T& value) {
        m_known.insert(field);
        const auto found = m_json.find(field);
        if (found == m_json.end() || found->is_null()) {
            return;
        }
        try {
            refuseOtherNumbers<T>(*found, field);
            value = found->template get<T>();
        } catch (const nlohmann::json::exception&) {
            throw Error(fmt::format("has the wrong type: {}", found->dump()), m_prefix + field,
                        "see docs/formats.md");
        }
    }

    // nlohmann turns any number into any other: -1 and 1.5 into seeds.
    template <typename T>
    void refuseOtherNumbers(const nlohmann::json& value, const char* field) const {
        if constexpr (std::is_integral_v<T>) {
            const bool fits =
                value.is_number_integer() &&
                (value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                            : std::in_range<T>(value.get<std::int64_t>()));
            if (!fits) {
                throw Error(fmt::format("is not a whole number in range: {}", value.dump()),
                            m_prefix + field, "see docs/formats.md");
            }
        }
    }

    const nlohmann::json* child(const char* field) {
        m_known.insert(field);
        const auto found = m_json.find(field);
        return found == m_json.end() || found->is_null() ? nullptr : &*found;
    }

    void refuseUnknown() const {
        for (const auto& [key, value] : m_json.items()) {
            if (!m_known.contains(key)) {
                throw Error("is not a field of a run specification", m_prefix + key,
                            "see docs/formats.md for the fields");
            }
        }
    }

  private:
    const nlohmann::json& m_json;
    std::string m_prefix;
    std::set<std::string> m_known;
};

void require(bool holds, const char* field, const std::string& what, const char* hint) {
    if (!holds) {
        throw Error(what, field, hint);
    }
}

// Words and ranges are checked whatever the method: a word that nobody knows is a slip of the pen,
// also where it would not count.
void requireKnownValues(const RunSpecification& s) {
    require(s.allocation == "uniform" || s.allocation == "knapsack", "allocation",
            fmt::format("'{}' is not a way to share the bytes", s.allocation),
            "use uniform or knapsack");
    require(s.propagation == "off" || s.propagation == "input" || s.propagation == "target",
            "propagation", fmt::format("'{}' is not a way to follow the errors", s.propagation),
            "use off, input or target");
    require(s.refit == "auto" || s.refit == "on" || s.refit == "off", "refit",
            fmt::format("'{}' does not say whether to refit", s.refit), "use auto, on or off");
    static_cast<void>(solverFromName(s.solver));
    static_cast<void>(dictionaryInitFromName(s.init));
    static_cast<void>(dictionaryUpdateFromName(s.update));
    static_cast<void>(deadAtomsFromName(s.deadAtoms));
    static_cast<void>(coefficientRoundingFromName(s.coefficientRounding));
    if (s.side != "auto") {
        static_cast<void>(dictionarySideFromName(s.side));
    }
    require(s.coefficientBits == 0 || (s.coefficientBits >= 8 && s.coefficientBits <= 16),
            "coefficient_bits", fmt::format("{} bits a coefficient", s.coefficientBits),
            "give 8 to 16, or 0 for what the accounting implies");
    if (s.coefficientFormat != "auto") {
        static_cast<void>(coefficientFormatFromName(s.coefficientFormat));
    }
    require(s.iterations >= 0, "iterations", fmt::format("{} iterations", s.iterations),
            "give a positive number, or 0 for the solver's default");
    require(s.powerIterations >= 0, "power_iterations",
            fmt::format("{} power iterations", s.powerIterations),
            "the paper uses 8; 0 asks for an exact SVD of every residual");
    require(s.ridge >= 0 && s.ridge <= 1, "ridge", fmt::format("ridge {}", s.ridge),
            "give a share of the Gram's mean diagonal such as 1e-3, or 0");
    require(s.tolerance >= 0 && s.tolerance < 1, "tolerance",
            fmt::format("tolerance {}", s.tolerance), "give a fraction such as 1e-4, or 0");
}

// One shape stands for all.
void requireStorable(const MatrixOptions& options) {
    const CoefficientFormat format = coefficientFormatOf(options);
    const int bits = options.method->coefficientBits(options, 4096, 4096);
    require(bits >= fewestCoefficientBits(format), "coefficient_bits",
            fmt::format("{} bits a coefficient are too few for a short {}", bits, name(format)),
            options.method->uses("rho") ? "give 9 or more, use coefficient_format exponent, eq10, "
                                          "or a smaller ρ"
                                        : "give 9 or more, or use coefficient_format exponent");
}

}  // namespace

void validate(const RunSpecification& s) {
    const Method& method = methodOf(s);
    require(!s.model.empty(), "model", "no model is named", "give a path or the word default");
    require(!s.layers.empty(), "layers", "is empty", "use .* for all layers");
    try {
        const std::regex pattern(s.layers);
    } catch (const std::regex_error& error) {
        throw Error(fmt::format("'{}' is not a regular expression: {}", s.layers, error.what()),
                    "layers", "e.g. ffn_(up|gate) or ^blk\\.[0-3]\\.");
    }
    requireKnownValues(s);
    if (isDense(s)) {
        return;
    }
    // One shape stands for all: ranges only, a matrix too small says so itself.
    const bool isOfLowRank = s.accounting == Accounting::Remapped && !isSparse(method);
    static_cast<void>(sparseBudget(4096, 4096, s.cr, s.rho,
                                   isOfLowRank ? RunSpecification().accounting : s.accounting,
                                   s.coefficientBits));
    require(s.allocation == "uniform" || method.uses("allocation"), "allocation",
            fmt::format("method {} reads no text to measure what errors cost", s.method),
            "use uniform, or a method with calibration");
    require(s.propagation == "off" || method.uses("propagation"), "propagation",
            fmt::format("method {} does not look at the inputs of a layer", s.method),
            "use off, or a method with calibration");
    const MatrixOptions matrix = matrixOptionsOf(s);
    if (groupsLayers(matrix)) {
        require(s.allocation == "uniform", "groups", "layers that share have no ratio of their own",
                "use allocation uniform, or groups none");
        require(s.propagation == "off", "groups",
                "layers of several blocks cannot be compressed along the forward pass",
                "use propagation off, or groups none");
    }
    requireStorable(matrix);
    method.validate(matrix);
    if (method.needsCalibration()) {
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

const Method& methodOf(const RunSpecification& s) { return methodFromName(s.method); }

bool isDense(const RunSpecification& s) { return &methodOf(s) == &denseMethod(); }

bool isSparse(const RunSpecification& s) { return isSparse(methodOf(s)); }

bool isCalibrated(const RunSpecification& s) { return methodOf(s).needsCalibration(); }

MatrixOptions matrixOptionsOf(const RunSpecification& s) {
    MatrixOptions options;
    options.method = &methodOf(s);
    options.solver = solverFromName(s.solver);
    options.cr = s.cr;
    options.rho = s.rho;
    options.accounting = s.accounting;
    options.coefficientBits = s.coefficientBits;
    if (s.coefficientFormat != "auto") {
        options.coefficientFormat = coefficientFormatFromName(s.coefficientFormat);
    }
    options.iterations = s.iterations;
    options.powerIterations = s.powerIterations;
    options.init = dictionaryInitFromName(s.init);
    options.update = dictionaryUpdateFromName(s.update);
    options.deadAtoms = deadAtomsFromName(s.deadAtoms);
    options.coefficientRounding = coefficientRoundingFromName(s.coefficientRounding);
    if (s.side != "auto") {
        options.side = dictionarySideFromName(s.side);
    }
    if (s.refit != "auto") {
        options.refit = s.refit == "on";
    }
    options.tolerance = s.tolerance;
    options.ridge = s.ridge;
    options.seed = s.seed;
    options.own = s.own;
    return options;
}

nlohmann::json toJson(const RunSpecification& s) {
    nlohmann::json json = {{"model", s.model},
                           {"model_sha256", s.modelSha256},
                           {"method", s.method},
                           {"solver", s.solver},
                           {"layers", s.layers},
                           {"cr", s.cr},
                           {"rho", s.rho},
                           {"accounting", name(s.accounting)},
                           {"coefficient_bits", s.coefficientBits},
                           {"coefficient_format", s.coefficientFormat},
                           {"iterations", s.iterations},
                           {"power_iterations", s.powerIterations},
                           {"init", s.init},
                           {"update", s.update},
                           {"dead_atoms", s.deadAtoms},
                           {"coefficient_rounding", s.coefficientRounding},
                           {"side", s.side},
                           {"allocation", s.allocation},
                           {"propagation", s.propagation},
                           {"ridge", s.ridge},
                           {"refit", s.refit},
                           {"tolerance", s.tolerance},
                           {"seed", s.seed},
                           {"calibration",
                            {{"text", s.calibration.text},
                             {"text_sha256", s.calibration.textSha256},
                             {"sequences", s.calibration.sequences},
                             {"length", s.calibration.length},
                             {"seed", s.calibration.seed}}}};
    if (const Method* method = findMethod(s.method)) {
        for (const Option& option : method->ownOptions()) {
            std::visit([&](const auto& value) { json[option.name] = value; },
                       valueOf(option, s.own));
        }
    }
    return json;
}

RunSpecification runSpecificationFromJson(const nlohmann::json& json) {
    FieldReader fields(json, "");
    std::string preset;
    fields.read("preset", preset);
    RunSpecification s = preset.empty() ? RunSpecification() : presetSpecification(preset);
    std::string accounting = name(s.accounting);
    fields.read("model", s.model);
    fields.read("model_sha256", s.modelSha256);
    fields.read("method", s.method);
    fields.read("solver", s.solver);
    fields.read("layers", s.layers);
    fields.read("cr", s.cr);
    fields.read("rho", s.rho);
    fields.read("accounting", accounting);
    fields.read("coefficient_bits", s.coefficientBits);
    fields.read("coefficient_format", s.coefficientFormat);
    fields.read("iterations", s.iterations);
    fields.read("power_iterations", s.powerIterations);
    fields.read("init", s.init);
    fields.read("update", s.update);
    fields.read("dead_atoms", s.deadAtoms);
    fields.read("coefficient_rounding", s.coefficientRounding);
    fields.read("side", s.side);
    fields.read("allocation", s.allocation);
    fields.read("propagation", s.propagation);
    fields.read("ridge", s.ridge);
    fields.read("refit", s.refit);
    fields.read("tolerance", s.tolerance);
    fields.read("seed", s.seed);
    for (const Option* option : allOwnOptions()) {
        std::visit(
            [&](auto value) {
                const auto usual = value;
                fields.read(option->name, value);
                if (value != usual) {
                    s.own[option->name] = value;
                }
            },
            option->usual);
    }
    s.accounting = accountingFromName(accounting);
    if (const nlohmann::json* child = fields.child("calibration")) {
        FieldReader calibration(*child, "calibration.");
        calibration.read("text", s.calibration.text);
        calibration.read("text_sha256", s.calibration.textSha256);
        calibration.read("sequences", s.calibration.sequences);
        calibration.read("length", s.calibration.length);
        calibration.read("seed", s.calibration.seed);
        calibration.refuseUnknown();
    }
    fields.refuseUnknown();
    return s;
}

std::string shortLabel(const RunSpecification& s) {
    if (isDense(s)) {
        return "dense";
    }
    const std::string shared = std::string(s.allocation == "knapsack" ? "-knapsack" : "") +
                               (s.propagation != "off" ? "-" + s.propagation : "");
    if (!methodOf(s).uses("cr")) {
        std::string label = s.method + shared;
        for (const Option& option : methodOf(s).ownOptions()) {
            label += "-" + textOf(valueOf(option, s.own));
        }
        return label;
    }
    if (!methodOf(s).uses("solver")) {
        return fmt::format("{}{}-cr{:.2f}", s.method, shared, s.cr);
    }
    return fmt::format("{}-{}{}-cr{:.2f}", s.method, s.solver, shared, s.cr);
}

}  // namespace cospadi
