// A specification as JSON, the words and numbers of run.json. What a run of before some field does
// not have, it takes as usual.
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/methods/method.h"
#include "core/store/effort.h"
#include "core/store/field_reader.h"
#include "core/store/named_settings.h"
#include "core/store/paper_preset.h"

namespace cospadi {

namespace {

CalibrationSpecification calibrationFrom(const nlohmann::json& object,
                                         CalibrationSpecification calibration) {
    FieldReader fields(object, "calibration.");
    fields.read("text", calibration.text);
    fields.read("text_sha256", calibration.textSha256);
    fields.read("sequences", calibration.sequences);
    fields.read("length", calibration.length);
    fields.read("seed", calibration.seed);
    fields.refuseUnknown();
    return calibration;
}

}  // namespace

nlohmann::json toJson(const RunSpecification& s) {
    nlohmann::json object = {{"model", s.model},
                             {"model_sha256", s.modelSha256},
                             {"method", s.method->name()},
                             {"layers", s.layers},
                             {"calibration",
                              {{"text", s.calibration.text},
                               {"text_sha256", s.calibration.textSha256},
                               {"sequences", s.calibration.sequences},
                               {"length", s.calibration.length},
                               {"seed", s.calibration.seed}}}};
    for (const auto* options : {&sharedOptions(), &s.method->ownOptions()}) {
        for (const Option& option : *options) {
            if (!option.onlyWhereGiven || !isAsUsual(s, option.name)) {
                object[option.name] = settingOf(s, option.name);
            }
        }
    }
    if (s.derived) {
        object["derived"] = toJson(*s.derived);
    }
    if (!s.ratios.empty()) {
        object["ratios"] = s.ratios;
    }
    return object;
}

RunSpecification runSpecificationFromJson(const nlohmann::json& object) {
    FieldReader fields(object, "");
    std::string preset;
    fields.read("preset", preset);
    RunSpecification s = preset.empty() ? RunSpecification() : presetSpecification(preset);
    std::string method = s.method->name();
    fields.read("method", method);
    s.method = &methodFromName(method);
    fields.read("model", s.model);
    fields.read("model_sha256", s.modelSha256);
    fields.read("layers", s.layers);
    for (const Option* option : allOptions()) {
        if (const nlohmann::json* value = fields.child(option->name)) {
            setSetting(s, option->name, *value);
        }
    }
    if (const nlohmann::json* derived = fields.child("derived")) {
        s.derived = derivationFromJson(*derived);
    }
    fields.read("ratios", s.ratios);
    std::string effort = name(Effort::Usual);
    fields.read("effort", effort);
    std::set<std::string> given;
    for (const auto& [field, value] : object.items()) {
        given.insert(field);
    }
    applyEffort(effortFromName(effort), s, given);
    if (const nlohmann::json* calibration = fields.child("calibration")) {
        s.calibration = calibrationFrom(*calibration, s.calibration);
    }
    fields.refuseUnknown();
    return s;
}

}  // namespace cospadi
