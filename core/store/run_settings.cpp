#include "core/store/run_settings.h"

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/sha256.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/methods/method.h"
#include "core/store/idle_settings.h"
#include "core/store/method_label.h"
#include "core/store/named_settings.h"

namespace cospadi {

namespace {

using nlohmann::json;
using Specification = RunSpecification;

constexpr std::size_t kShownDigits = 8;

void flatten(const json& object, const std::string& prefix,
             std::map<std::string, std::string>& fields) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_object()) {
            flatten(value, prefix + key + ".", fields);
        } else {
            fields[prefix + key] = plainText(value);
        }
    }
}

// In the place of `derived` and what it overrules.
void tellDerivation(const Specification& s, std::map<std::string, std::string>& fields) {
    std::erase_if(fields, [](const auto& field) { return field.first.starts_with("derived."); });
    if (isSliceThatTells(s)) {
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

// A ratio a layer is one setting, not one a layer: the hash of all, as of a file.
void tellRatios(const Specification& s, std::map<std::string, std::string>& fields) {
    std::erase_if(fields, [](const auto& field) { return field.first.starts_with("ratios."); });
    if (!s.ratios.empty()) {
        fields["ratios"] = sha256OfString(json(s.ratios).dump()).substr(0, kShownDigits);
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

std::optional<Specification> ofText(const std::string& text) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) {
        return std::nullopt;
    }
    try {
        return runSpecificationFromJson(object);
    } catch (const Error&) {  // of another program or version
        return std::nullopt;
    }
}

// What a row's specification says.
struct Read {
    std::optional<Specification> specification;
    std::map<std::string, std::string> settings;
    std::string label;
};

std::shared_ptr<const Read> readOf(std::optional<Specification> specification,
                                   const std::string& text) {
    auto read = std::make_shared<Read>();
    if (specification) {
        read->settings = settingsOf(*specification);
        read->label = methodLabel(*specification);
    } else {
        read->settings = flattened(json::parse(text, nullptr, false));
    }
    read->specification = std::move(specification);
    return read;
}

// Texts that were read. Names, tables and filters ask for the same ones over and over, and reading
// one takes longer than all that is done with it.
class ReadTexts {
  public:
    std::shared_ptr<const Read> of(const std::string& text) {
        {
            const std::lock_guard lock(m_mutex);
            if (const auto known = m_known.find(text); known != m_known.end()) {
                return known->second;
            }
        }
        auto read = readOf(ofText(text), text);
        const std::lock_guard lock(m_mutex);
        if (m_known.size() >= kMostKept) {
            m_known.clear();
        }
        m_known.emplace(text, read);
        return read;
    }

  private:
    static constexpr std::size_t kMostKept = 20'000;  // some 4 kB each

    std::mutex m_mutex;
    std::unordered_map<std::string, std::shared_ptr<const Read>> m_known;
};

std::shared_ptr<const Read> readOf(const RunRow& run) {
    // Never destroyed: threads may still read as the program ends.
    static ReadTexts& texts = *new ReadTexts;
    return run.specification.empty() ? readOf(ofColumns(run), run.specification)
                                     : texts.of(run.specification);
}

}  // namespace

RunSpecification effective(RunSpecification s) {
    if (counts(s, "power_iterations") && s.powerIterations == 0) {
        s.update = DictionaryUpdate::KsvdExact;
    }
    s = withoutIdleSettings(std::move(s));
    if (!isCalibrated(s) && s.init == DictionaryInit::WeightColumns) {
        s.init = DictionaryInit::RandomColumns;  // nothing is whitened
    }
    if (methodOf(s).uses("iterations") && s.iterations == 0) {
        s.iterations = methodOf(s).usualIterations(s);
    }
    if (counts(s, "coefficient_bits") && s.coefficientBits == 0 && isUniform(s)) {
        s.coefficientBits = impliedCoefficientBits(s);  // else by the layer's CR
    }
    return s;
}

bool isSliceThatTells(const RunSpecification& s) {
    return s.derived && s.derived->isSlice() &&
           (isAllocated(s) || s.propagation != PropagationKind::Off || isRefined(s));
}

int storedCoefficientBits(const RunSpecification& s) {
    if (s.derived && s.derived->isRequantized()) {
        return s.derived->coefficientBits;
    }
    if (!methodOf(s).uses("coefficient_bits") || s.accounting == Accounting::Remapped) {
        return 0;
    }
    return counts(s, "coefficient_bits") ? effective(s).coefficientBits : 16;
}

std::optional<RunSpecification> specificationOf(const RunRow& run) {
    return readOf(run)->specification;
}

std::string specifiedLabelOf(const RunRow& run) { return readOf(run)->label; }

std::map<std::string, std::string> settingsOf(const RunSpecification& s) {
    const RunSpecification used = effective(s);
    std::map<std::string, std::string> fields = flattened(toJson(used));
    for (const Option& option : sharedOptions()) {
        if (!counts(used, option.name)) {
            fields.erase(option.name);
        } else if (!fields.contains(option.name)) {  // left out of JSON, as usual
            fields[option.name] = plainText(settingOf(used, option.name));
        }
    }
    if (!isCalibrated(s)) {
        std::erase_if(fields,
                      [](const auto& field) { return field.first.starts_with("calibration."); });
    }
    if (isDense(s)) {
        fields.erase("layers");
    }
    tellRatios(s, fields);
    if (s.derived) {
        tellDerivation(s, fields);
    }
    for (const char* chosen : {"iterations", "coefficient_bits", "dictionary_bits"}) {
        if (const auto field = fields.find(chosen); field != fields.end() && field->second == "0") {
            field->second = "usual";
        }
    }
    return fields;
}

std::map<std::string, std::string> settingsOf(const RunRow& run) { return readOf(run)->settings; }

}  // namespace cospadi
