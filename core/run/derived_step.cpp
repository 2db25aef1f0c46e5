#include "core/run/derived_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/methods/matrix_options.h"
#include "core/model/layer_pattern.h"
#include "core/run/requantize_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/slice_run.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

Requantization requantizationOf(const DerivedStep& step) {
    Requantization how;
    how.bits = step.coefficientBits;
    how.rounding = step.rounding;
    return how;
}

}  // namespace

RunSpecification derivedSpecification(const DerivedStep& step, const RunSpecification& source,
                                      const std::string& id) {
    return step.isSlice() ? sliceSpecification(source, id, step.slice)
                          : requantizedSpecification(source, id, requantizationOf(step));
}

DerivedStep stepBetween(const RunSpecification& source, const RunSpecification& derived) {
    const Derivation before = source.derived.value_or(Derivation());
    const Derivation after = derived.derived.value_or(Derivation());
    DerivedStep step;
    if (after.isRequantized() && !before.isRequantized()) {
        step.coefficientBits = after.coefficientBits;
        step.rounding = after.rounding;
    } else {
        step.slice = derived.layers;
    }
    return step;
}

std::string refusalOf(const DerivedStep& step, const RunSpecification& source,
                      const std::vector<LayerInfo>& layers) {
    if (!step.isSlice()) {
        const int stored = storedCoefficientBits(source);
        return stored == 0 ? fmt::format("{} stores no coefficients", methodOf(source).name())
               : step.coefficientBits < stored
                   ? ""
                   : fmt::format("{} bits are not fewer than the {} of its coefficients",
                                 step.coefficientBits, stored);
    }
    const std::vector<LayerInfo> chosen = selectLayers(layers, source.layers);
    const LayerPattern pattern(step.slice);
    const auto taken = std::count_if(chosen.begin(), chosen.end(), [&](const LayerInfo& layer) {
        return pattern.finds(layer.name);
    });
    return taken == 0 ? fmt::format("'{}' matches none of its layers", step.slice)
           : static_cast<std::size_t>(taken) == chosen.size()
               ? fmt::format("'{}' matches all its layers, which is the run itself", step.slice)
               : "";
}

std::string words(const DerivedStep& step) {
    return step.isSlice() ? fmt::format("slice {}", step.slice)
                          : fmt::format("{} to {} bits",
                                        step.rounding == CoefficientRounding::Truncate ? "truncated"
                                                                                       : "rounded",
                                        step.coefficientBits);
}

std::vector<std::string> commandOf(const DerivedStep& step, const std::string& run) {
    if (step.isSlice()) {
        return {"runs", "slice", run, "--layers", step.slice};
    }
    return {"requantize",         run,
            "--coefficient-bits", std::to_string(step.coefficientBits),
            "--rounding",         name(step.rounding)};
}

DerivedRun makeDerived(const DerivedStep& step, const std::filesystem::path& directory,
                       const EventCallback& onEvent, const std::stop_token& stop) {
    return step.isSlice() ? sliceRun(directory, step.slice, onEvent)
                          : requantizeRun(directory, requantizationOf(step), onEvent, stop);
}

}  // namespace cospadi
