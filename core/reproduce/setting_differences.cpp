#include "core/reproduce/setting_differences.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "core/report/name_list.h"
#include "core/store/idle_settings.h"
#include "core/store/paper_preset.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr const char* kPaperText = "RefinedWeb";

struct Difference {
    std::set<std::string> own, paper;
};

std::string wordsOf(const std::string& field, const std::string& value) {
    return field == "layers" && value == ".*" ? "all" : value;
}

}  // namespace

std::string settingDifferences(const std::vector<ReproducedRun>& runs,
                               const std::vector<std::string>& shown) {
    std::map<std::string, Difference> differences;
    for (const ReproducedRun& run : runs) {
        const RunSpecification& own = run.specification;
        if (isDense(own)) {
            continue;
        }
        RunSpecification paper = presetSpecification(kPaperPreset);
        paper.method = own.method;
        paper.own = own.own;
        const std::map<std::string, std::string> theirs = settingsOf(withoutIdleSettings(paper));
        for (const auto& [field, value] : settingsOf(own)) {
            const auto known = theirs.find(field);
            if (field == "model" || field == "cr" || field == "method" ||
                field == "calibration.text" || known == theirs.end() || known->second == value ||
                contains(shown, field)) {
                continue;
            }
            differences[field].own.insert(wordsOf(field, value));
            differences[field].paper.insert(wordsOf(field, known->second));
        }
        if (isCalibrated(own)) {  // it does not ship, so that this is never the same
            Difference& text = differences["calibration.text"];
            text.own.insert(std::filesystem::path(own.calibration.text).filename().string());
            text.paper.insert(kPaperText);
        }
    }
    std::vector<std::string> words;
    for (const auto& [field, difference] : differences) {
        words.push_back(fmt::format("{}: {} (paper: {})", field, fmt::join(difference.own, ", "),
                                    fmt::join(difference.paper, ", ")));
    }
    return words.empty() ? "" : fmt::format("settings that differ: {}", fmt::join(words, "; "));
}

}  // namespace cospadi
