#include "core/store/effort.h"

#include <fmt/format.h>

#include "core/allocation/allocation_rule.h"
#include "core/base/error.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/output_metric.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr int kQuickIterations = 10;
constexpr int kBestIterations = 60;  // as the paper has of its own
constexpr std::int64_t kQuickSequences = 16;
constexpr std::int64_t kBestSequences = 256;
constexpr const char* kBestGroups = "all-6";
constexpr double kBestRho = 3;

// As this effort has it.
bool sharesByCost(const RunSpecification& s) {
    const auto is = [&](const char* option, const char* word) {
        const auto own = s.own.find(option);
        return own != s.own.end() && textOf(own->second) == word;
    };
    return is(kGroups, kBestGroups) && is(kGroupMetric, kProbed);
}

// Whether layers that stand alone may share over inputs and outputs instead, and nobody asked for
// what excludes that.
bool canShareByCost(const RunSpecification& s, const std::set<std::string>& given) {
    for (const char* asked : {kGroups, kGroupMetric, "allocation"}) {
        if (given.contains(asked)) {
            return false;
        }
    }
    return s.method->uses(kGroupMetric) && !groupsLayers(s) && s.solver == Solver::Fast &&
           s.accounting != Accounting::Integers && s.side != DictionarySide::Output &&
           s.propagation == PropagationKind::Off && !s.autoRho && isUniform(s) &&
           !codePatternOf(s).isGrouped() && !usesOutputMetric(s);
}

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

void applyEffort(Effort effort, RunSpecification& s, const std::set<std::string>& given) {
    if (effort == Effort::Usual) {
        return;
    }
    const bool isBest = effort == Effort::Best;
    const bool shares = isBest && (sharesByCost(s) || canShareByCost(s, given));
    if (s.method->needsCalibration()) {
        s.calibration.sequences = isBest ? kBestSequences : kQuickSequences;
    }
    if (shares) {
        setOwnOption(s, kGroups, kBestGroups);
        setOwnOption(s, kGroupMetric, kProbed);
        s.rho = given.contains("rho") ? s.rho : kBestRho;
        return;
    }
    if (s.method->uses("iterations") && !given.contains("iterations")) {
        s.iterations = isBest ? kBestIterations : kQuickIterations;
    }
    if (isBest && s.method->uses("allocation") && !groupsLayers(s)) {
        if (!given.contains("allocation") && s.ratios.empty()) {
            s.allocation = &allocationFromName("knapsack");
        }
        const bool hasRho = isSparse(s) && s.method->uses("rho") && !codePatternOf(s).isGrouped();
        if (hasRho && !given.contains("rho") && s.ratios.empty()) {
            s.autoRho = true;
        }
    }
}

RunSpecification withEffort(RunSpecification s, Effort effort) {
    const RunSpecification usual;
    s.iterations = usual.iterations;
    s.calibration.sequences = usual.calibration.sequences;
    s.allocation = usual.allocation;
    s.autoRho = usual.autoRho;
    s.refine = usual.refine;
    if (sharesByCost(s)) {
        s.own.erase(kGroups);
        s.own.erase(kGroupMetric);
        s.rho = usual.rho;
    }
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
