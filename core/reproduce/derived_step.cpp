#include "core/reproduce/derived_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <set>

#include "core/base/error.h"
#include "core/methods/matrix_options.h"
#include "core/report/name_list.h"
#include "core/run/requantize_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/slice_run.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr const char* kSeeSteps = "see docs/reproduce.md, Entries";

Requantization requantizationOf(const DerivedStep& step) {
    Requantization how;
    how.bits = step.coefficientBits;
    how.rounding = step.rounding;
    return how;
}

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
            throw Error("has a value twice", fmt::format("{}.{}", field, name), kSeeSteps);
        }
    };
    if (!steps.slice.empty()) {
        try {
            const std::regex checked(steps.slice);
        } catch (const std::regex_error& error) {
            throw Error(
                fmt::format("'{}' is not a regular expression: {}", steps.slice, error.what()),
                field + ".slice", "e.g. ffn_(up|gate)$");
        }
        if (!steps.coefficientBits.empty()) {
            throw Error("stands beside a slice", field + ".coefficient_bits",
                        "give one of the two: a protocol has one kind of step");
        }
    }
    if (steps.roundings.empty()) {
        throw Error("is empty", field + ".rounding", "name truncate, nearest or both");
    }
    for (const std::int32_t bits : steps.coefficientBits) {
        requireRequantizedBits(bits, (field + ".coefficient_bits").c_str());
    }
    requireDistinct(steps.coefficientBits, "coefficient_bits");
    requireDistinct(steps.roundings, "rounding");
}

RunSpecification derivedSpecification(const DerivedStep& step, const RunSpecification& source,
                                      const std::string& id) {
    return step.isSlice() ? sliceSpecification(source, id, step.slice)
                          : requantizedSpecification(source, id, requantizationOf(step));
}

std::string refusalOf(const DerivedStep& step, const RunSpecification& source,
                      const std::vector<LayerInfo>& layers) {
    if (!step.isSlice()) {
        const int stored = storedCoefficientBits(source);
        return stored == 0 ? fmt::format("{} stores no coefficients", methodOf(source).name())
               : step.coefficientBits < stored
                   ? ""
                   : fmt::format("{} bits are no fewer than the {} that its coefficients have",
                                 step.coefficientBits, stored);
    }
    const std::vector<LayerInfo> chosen = selectLayers(layers, source.layers);
    const std::regex pattern(step.slice);
    const auto taken = std::count_if(chosen.begin(), chosen.end(), [&](const LayerInfo& layer) {
        return std::regex_search(layer.name, pattern);
    });
    return taken == 0 ? fmt::format("'{}' finds none of its layers", step.slice)
           : static_cast<std::size_t>(taken) == chosen.size()
               ? fmt::format("'{}' finds all of its layers: that is the run itself", step.slice)
               : "";
}

std::string words(const DerivedStep& step) {
    return step.isSlice() ? fmt::format("slice {}", step.slice)
                          : fmt::format("{} to {} bits",
                                        step.rounding == CoefficientRounding::Truncate ? "truncated"
                                                                                       : "rounded",
                                        step.coefficientBits);
}

DerivedRun makeDerived(const DerivedStep& step, const std::filesystem::path& directory,
                       const EventCallback& onEvent, const std::stop_token& stop) {
    return step.isSlice() ? sliceRun(directory, step.slice, onEvent)
                          : requantizeRun(directory, requantizationOf(step), onEvent, stop);
}

}  // namespace cospadi
