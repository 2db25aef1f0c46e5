#include "core/sweep/sweep_presets.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/store/paper_preset.h"

namespace cospadi {

namespace {

using nlohmann::json;

SweepPreset preset(const char* name, const char* description, const json& varied,
                   const char* evaluate) {
    SweepPreset made{name, description, {}};
    made.sweep.grid = {
        {"method", "cospadi"}, {"cr", 0.2}, {"accounting", "packed"}, {"coefficient_bits", 14}};
    made.sweep.grid.update(varied);
    made.sweep.name = name;
    made.sweep.evaluate.text = evaluate;
    return made;
}

}  // namespace

const std::vector<SweepPreset>& sweepPresets() {
    static const std::vector<SweepPreset> presets = {
        preset("rho", "ρ 1.2 to 5", {{"rho", {1.2, 1.5, 2, 3, 4, 5}}}, "wikitext2"),
        preset("iterations", "5 to 40 iterations, on block 10",
               {{"iterations", {5, 10, 20, 40}}, {"layers", R"(^blk\.10\.)"}}, ""),
        preset("solvers", "fast and K-SVD, on block 10",
               {{"solver", {"fast", "ksvd"}}, {"layers", R"(^blk\.10\.)"}}, ""),
        preset("updates", "updates and coders of K-SVD, on keys of block 10",
               {{"solver", "ksvd"},
                {"update", {"ksvd", "ksvd-exact", "ksvd-randomized", "mod", "online"}},
                {"coder", {"omp", "lasso"}},
                {"layers", R"(^blk\.10\.attn_k)"}},
               "")};
    return presets;
}

SweepFile sweepPreset(const std::string& name) {
    const auto& presets = sweepPresets();
    const auto found = std::find_if(presets.begin(), presets.end(),
                                    [&](const SweepPreset& p) { return p.name == name; });
    if (found == presets.end()) {
        std::string known = kPaperPreset;  // which fills a specification, not a grid
        for (const SweepPreset& p : presets) {
            known += ", " + p.name;
        }
        throw Error("there is no preset with this name", name, "use " + known);
    }
    return found->sweep;
}

}  // namespace cospadi
