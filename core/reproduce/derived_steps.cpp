#include "core/reproduce/derived_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/error.h"
#include "core/model/layer_pattern.h"
#include "core/report/name_list.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr const char* kSeeSteps = "see docs/reproduce.md, Entries";

}  // namespace

bool hasSettings(const RunSpecification& specification, const WantedSettings& wanted) {
    const std::map<std::string, std::string> settings = settingsOf(specification);
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
        const auto found = settings.find(one.first);
        return found != settings.end() && contains(one.second, found->second);
    });
}

bool DerivedSteps::areOf(const RunSpecification& run) const {
    return !isDense(run) && hasSettings(run, of);
}

std::vector<DerivedStep> DerivedSteps::all() const {
    if (!slice.empty()) {
        return {{slice, 0, CoefficientRounding::Truncate}};
    }
    std::vector<std::int32_t> widths = coefficientBits;
    std::sort(widths.begin(), widths.end(), std::greater<>());
    std::vector<DerivedStep> steps;
    for (const std::int32_t bits : widths) {
        for (const CoefficientRounding rounding : roundings) {
            steps.push_back({"", bits, rounding});
        }
    }
    return steps;
}

void validate(const DerivedSteps& steps, const std::string& field) {
    const auto requireDistinct = [&](const auto& list, const char* name) {
        if (std::set(list.begin(), list.end()).size() != list.size()) {
            throw Error("contains a value twice", fmt::format("{}.{}", field, name), kSeeSteps);
        }
    };
    if (!steps.slice.empty()) {
        static_cast<void>(LayerPattern(steps.slice, field + ".slice"));
        if (!steps.coefficientBits.empty()) {
            throw Error("cannot be combined with a slice", field + ".coefficient_bits",
                        "use one of the two: a protocol has one kind of step");
        }
    }
    if (steps.roundings.empty()) {
        throw Error("is empty", field + ".rounding", "give truncate, nearest or both");
    }
    for (const std::int32_t bits : steps.coefficientBits) {
        requireRequantizedBits(bits, (field + ".coefficient_bits").c_str());
    }
    requireDistinct(steps.coefficientBits, "coefficient_bits");
    requireDistinct(steps.roundings, "rounding");
}

}  // namespace cospadi
