#include "core/store/effort.h"

#include <fmt/format.h>

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
    const bool isBest = effort == Effort::Best;
    if (s.method->uses("iterations")) {
        s.iterations = isBest ? kBestIterations : kQuickIterations;
    }
    if (s.method->needsCalibration()) {
        s.calibration.sequences = isBest ? kBestSequences : kQuickSequences;
    }
    if (isBest && s.method->uses("allocation")) {
        s.allocation = &allocationFromName("knapsack");
        s.autoRho = isSparse(s) && s.method->uses("rho");
    }
}

RunSpecification withEffort(RunSpecification s, Effort effort) {
    const RunSpecification usual;
    s.iterations = usual.iterations;
    s.calibration.sequences = usual.calibration.sequences;
    s.allocation = usual.allocation;
    s.autoRho = usual.autoRho;
    s.refine = usual.refine;
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
