#include "app/cli/stated_flags.h"

#include <filesystem>

#include "core/model/model_info.h"
#include "core/model/model_locator.h"

namespace cospadi::cli {

namespace fs = std::filesystem;

void StatedFlags::addTo(Command command, const std::string& modelHelp) {
    const auto add = [&](const char* name, auto& value, const std::string& help) {
        m_arguments.emplace_back(name, command.addOption(name, value, help));
    };
    add("--method", m_stated.method,
        "The method that compressed the model, e.g. LLM-Pruner; shown in tables under this name, "
        "marked as imported");
    add("--cr", m_stated.cr, "Its compression ratio, as stated");
    add("--bytes", m_stated.bytes, "Bytes of its linear layers, as stated");
    add("--label", m_stated.label, "Distinguishes it from other results of this method");
    add("--source", m_stated.source, "Source of results and bytes; shown in the notes of tables");
    add("--model", m_model, modelHelp);
}

void StatedFlags::check() const {
    if (given()) {
        asUsage([&] { validate(m_stated); });
        return;
    }
    for (const auto& [name, argument] : m_arguments) {
        if (argument.count() > 0) {
            throw UsageError("describes results of another program", name,
                             "name its method with --method");
        }
    }
}

ExternalModel StatedFlags::model() const {
    ExternalModel external{m_model, "", m_stated};
    std::error_code failed;
    if (m_model == "default" || fs::exists(m_model, failed)) {
        const fs::path path = fs::absolute(locateModel(m_model)).lexically_normal();
        external.model = path.string();
        external.modelSha256 = modelSha256(path);
        external.stated->denseBytes = 2 * inspectModel(path).layerParameters;  // bf16
    }
    return external;
}

}  // namespace cospadi::cli
