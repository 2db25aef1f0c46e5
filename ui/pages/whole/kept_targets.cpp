#include "ui/pages/whole/kept_targets.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/methods/method.h"
#include "core/store/named_settings.h"

namespace cospadi::ui {

namespace {

nlohmann::json asJson(const WholeTarget& kept) {
    nlohmann::json json{{"cr", kept.target.cr},         {"pins", kept.target.pins},
                        {"limits", kept.target.limits}, {"excluded", kept.target.excluded},
                        {"method", kept.method},        {"storage", kept.storage}};
    if (kept.target.bytes) {
        json["bytes"] = *kept.target.bytes;
    }
    if (kept.rho) {
        json["rho"] = *kept.rho;
    }
    return json;
}

WholeTarget wholeTargetFromJson(const nlohmann::json& json) {
    using Ratios = std::map<std::string, double>;
    WholeTarget kept;
    kept.target.cr = json.at("cr").get<double>();
    kept.target.pins = json.at("pins").get<Ratios>();
    kept.target.limits = json.at("limits").get<Ratios>();
    kept.target.excluded = json.at("excluded").get<std::set<std::string>>();
    kept.method = json.at("method").get<std::string>();
    kept.storage = json.at("storage").get<std::string>();
    if (const auto bytes = json.find("bytes"); bytes != json.end()) {
        kept.target.bytes = bytes->get<double>();
    }
    if (const auto rho = json.find("rho"); rho != json.end()) {
        kept.rho = rho->get<double>();
    }
    kept.fields({});  // throws where a word of them is none
    return kept;
}

}  // namespace

RunSpecification WholeTarget::fields(const RunSpecification& plan) const {
    RunSpecification fields = plan;
    fields.cr = target.cr;
    fields.rho = rho.value_or(plan.rho);
    if (const Method* known = findMethod(method)) {
        fields.method = known;
    }
    if (!storage.empty()) {
        setSetting(fields, "accounting", storage);
    }
    return fields;
}

std::optional<WholeTarget> KeptTargets::of(const std::string& model) const {
    const auto found = m_targets.find(model);
    return found == m_targets.end() ? std::nullopt : std::optional(found->second);
}

QString KeptTargets::asText() const {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [model, target] : m_targets) {
        all[model] = asJson(target);
    }
    return QString::fromStdString(
        all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void KeptTargets::restore(const QString& text) {
    const nlohmann::json all = nlohmann::json::parse(text.toStdString(), nullptr, false);
    if (!all.is_object()) {
        return;
    }
    for (const auto& [model, saved] : all.items()) {
        try {
            m_targets[model] = wholeTargetFromJson(saved);
        } catch (const std::exception&) {
            // of another version: the plan's
        }
    }
}

}  // namespace cospadi::ui
