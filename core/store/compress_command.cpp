#include "core/store/compress_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/printable_text.h"
#include "core/base/shell_word.h"
#include "core/methods/method.h"
#include "core/store/idle_settings.h"

namespace cospadi {

namespace {

std::string optionText(const nlohmann::json& value) {
    return value.is_string()         ? value.get<std::string>()
           : value.is_number_float() ? fmt::format("{}", value.get<double>())
                                     : value.dump();
}

bool isAlwaysShown(const std::string& option) { return option == "cr" || option == "rho"; }

void addCalibration(const CalibrationSpecification& calibration, std::vector<std::string>& words) {
    const CalibrationSpecification usual;
    if (!calibration.text.empty()) {
        words.insert(words.end(), {"--calibration", calibration.text});
    }
    if (calibration.sequences != usual.sequences) {
        words.insert(words.end(), {"--sequences", std::to_string(calibration.sequences)});
    }
    if (calibration.length != usual.length) {
        words.insert(words.end(), {"--length", std::to_string(calibration.length)});
    }
    if (calibration.seed != usual.seed) {
        words.insert(words.end(), {"--calibration-seed", std::to_string(calibration.seed)});
    }
}

}  // namespace

std::vector<std::string> compressWords(const RunSpecification& specification,
                                       const std::string& runFile) {
    const RunSpecification s = withoutIdleSettings(specification);
    const nlohmann::json fields = toJson(s);
    const nlohmann::json usual = toJson(RunSpecification());
    const Method& method = methodOf(s);
    std::vector<std::string> words{"compress", s.model, "--method", method.name()};
    if (method.uses("solver")) {
        words.insert(words.end(), {"--solver", name(s.solver)});
    }
    words.insert(words.end(), {"--layers", s.layers});
    for (const Option* option : allOptions()) {
        const std::string name = option->name;
        if (!method.uses(name) || name == "solver" || (name == "cr" && !hasRatio(s))) {
            continue;
        }
        const bool changed = option->onlyWhereGiven ? fields.contains(name)
                             : usual.contains(name) ? fields.at(name) != usual.at(name)
                                                    : s.own.contains(name);
        if (changed || isAlwaysShown(name)) {
            words.insert(words.end(), {option->flag(), optionText(fields.at(name))});
        }
    }
    if (!s.ratios.empty() && !runFile.empty()) {
        words.insert(words.end(), {"--ratios", runFile});
    }
    if (method.needsCalibration()) {
        addCalibration(s.calibration, words);
    }
    return words;
}

std::string commandElsewhere(RunSpecification specification) {
    for (std::string* file : {&specification.model, &specification.calibration.text}) {
        *file = std::filesystem::path(*file).filename().string();
    }
    std::vector<std::string> words = compressWords(specification, "run.json");
    std::transform(words.begin(), words.end(), words.begin(), printableLine);
    return "cospadi " + shellLine(words);
}

}  // namespace cospadi
