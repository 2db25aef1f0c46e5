#include "core/run/allocation_phase.h"

#include "core/allocation/curve_store.h"
#include "core/allocation/probe_text.h"
#include "core/allocation/rho_choice.h"
#include "core/base/thread_pool.h"
#include "core/run/resolve_specification.h"
#include "core/run/stored_allocation.h"

namespace cospadi {

std::optional<std::string> chooseAllocation(const AllocationInputs& inputs,
                                            const std::filesystem::path& file,
                                            const ProgressCallback& progress,
                                            const std::stop_token& stop) {
    const RunSpecification& specification = inputs.specification;
    const AllocationRule& rule = *specification.allocation;
    const MatrixOptions& options = specification;
    std::vector<std::int32_t> probeText;
    std::optional<CurveStore> curves;
    if (rule.needs().probes) {
        probeText = sampleProbeText(inputs.model.tokenizer(), calibrationOptionsOf(specification));
        const std::string grams = inputs.grams != nullptr ? inputs.grams->cacheKey : "";
        const std::string outputs = inputs.outputs != nullptr ? " " + inputs.outputs->cacheKey : "";
        curves.emplace(specification.modelSha256, grams + outputs, options);
    }
    ThreadPool pool(inputs.threads);
    auto allocated = allocateWithRho(
        rule,
        {inputs.model, pool, inputs.grams, inputs.layers, options, probeText, kProbeLength,
         rhoCandidatesOf(specification), curves ? &*curves : nullptr, inputs.outputs},
        progress, stop);
    if (!allocated) {
        return std::nullopt;
    }
    for (const auto& [layer, cr] : specification.ratios) {
        allocated->ratios[layer] = cr;
    }
    writeAllocation(file, specification.ratios.empty() ? rule.name() : "given", *allocated);
    return allocated->warning;
}

}  // namespace cospadi
