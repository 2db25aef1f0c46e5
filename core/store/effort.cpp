#include "core/store/effort.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocation/allocation_rule.h"
#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr int kQuickIterations = 10;
constexpr int kBestIterations = 60;  // as the paper has of its own
constexpr std::int64_t kQuickSequences = 16;
constexpr std::int64_t kBestSequences = 256;

}  // namespace

const char* name(Effort effort) {
    return effort == Effort::Quick ? "quick" : effort == Effort::Usual ? "usual" : "best";
}

Effort effortFromName(const std::string& word) {
    for (const Effort effort : {Effort::Quick, Effort::Usual, Effort::Best}) {
        if (word == name(effort)) {
            return effort;
        }
    }
    throw Error(fmt::format("'{}' is not an effort", word), "effort", "use quick, usual or best");
}

void applyEffort(Effort effort, RunSpecification& s) {
    if (effort == Effort::Usual) {
        return;
    }
    const std::vector<std::string>& settings = s.method->settings();
    const auto has = [&](const char* setting) {
        return std::find(settings.begin(), settings.end(), setting) != settings.end();
    };
    const bool isBest = effort == Effort::Best;
    if (has("iterations")) {
        s.iterations = isBest ? kBestIterations : kQuickIterations;
    }
    if (s.method->needsCalibration()) {
        s.calibration.sequences = isBest ? kBestSequences : kQuickSequences;
    }
    if (isBest && has("allocation")) {
        s.allocation = &allocationFromName("knapsack");
        s.autoRho = isSparse(s) && has("rho");
    }
}

RunSpecification withEffort(RunSpecification s, Effort effort) {
    const RunSpecification usual;
    s.iterations = usual.iterations;
    s.calibration.sequences = usual.calibration.sequences;
    s.allocation = usual.allocation;
    s.autoRho = usual.autoRho;
    applyEffort(effort, s);
    return s;
}

std::optional<Effort> effortOf(const RunSpecification& s) {
    const auto settings = settingsOf(effective(s));
    for (const Effort effort : {Effort::Usual, Effort::Quick, Effort::Best}) {
        if (settingsOf(effective(withEffort(s, effort))) == settings) {
            return effort;
        }
    }
    return std::nullopt;
}

}  // namespace cospadi
