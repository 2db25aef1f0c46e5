#include "core/run/resolve_specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/allocation/rho_choice.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/methods/block_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/model/layer_pattern.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/model/weight_source.h"
#include "core/run/refinement_text.h"
#include "core/store/idle_settings.h"

namespace cospadi {

std::vector<LayerInfo> selectLayers(const std::vector<LayerInfo>& layers,
                                    const std::string& regex) {
    const LayerPattern pattern(regex);
    std::vector<LayerInfo> selected;
    for (const LayerInfo& layer : layers) {
        if (pattern.finds(layer.name)) {
            selected.push_back(layer);
        }
    }
    if (selected.empty()) {
        throw Error(fmt::format("'{}' matches no layer", regex), "layers",
                    fmt::format("names look like {} or {}; `cospadi inspect MODEL` lists all",
                                layers.empty() ? "" : layers.front().name,
                                layers.empty() ? "" : layers.back().name));
    }
    return selected;
}

namespace {

std::filesystem::path calibrationText(const RunSpecification& s) {
    return namedText(s.calibration.text.empty() ? "c4" : s.calibration.text);
}

// Whether the method draws anything at random for one of the chosen layers.
bool seedCounts(const RunSpecification& s) {
    if (!methodOf(s).uses("seed")) {
        return false;
    }
    const MatrixOptions& options = s;
    const bool anyRatio = isAllocated(s);  // its budgets are not known yet
    const LayerPattern pattern(s.layers);
    std::vector<LayerInfo> layers = WeightSource::open(s.model).layers();
    std::erase_if(layers, [&](const LayerInfo& layer) { return !pattern.finds(layer.name); });
    const std::vector<LayerUnit> units = unitsOf(options, layers);
    return std::any_of(units.begin(), units.end(), [&](const LayerUnit& unit) {
        try {
            const LayerInfo shape = unit.shape();
            return options.method->draws(optionsOfUnit(options, unit), shape.d1, shape.d2,
                                         anyRatio);
        } catch (const Error&) {  // no room for an atom: the run will say so
            return false;
        }
    });
}

void requireBlocks(const BlockMethod& method, const RunSpecification& s, const WeightSource& source,
                   const std::vector<LayerInfo>& layers) {
    if (layers.size() != source.layers().size()) {
        throw Error(fmt::format("method {} removes whole blocks, but {} of {} layers are chosen",
                                method.name(), layers.size(), source.layers().size()),
                    "layers", "choose all layers with .*");
    }
    static_cast<void>(method.blocksLeftOut(s, source.config.blocks));
    const CalibrationOptions calibration = calibrationOptionsOf(s);
    method.requireModel(s, source.config, calibration.fitted() * calibration.length);
}

// That every layer, or what layers share, has a form at the ratio that is given for it or, also
// where a rule will choose one, at that of the run: rules begin there.
void requireForms(const RunSpecification& s, const std::vector<LayerUnit>& units) {
    for (const LayerUnit& unit : units) {
        const LayerInfo whole = unit.shape();
        MatrixOptions options = optionsOfUnit(s, unit);
        if (const auto own = s.ratios.find(whole.name); own != s.ratios.end()) {
            options.cr = own->second;
        }
        try {
            if (s.allocation == &uniformRule()) {  // a rule counts bytes by the usual ρ
                options.rho =
                    storableRhos(rhoCandidatesOf(s), options, whole, {options.cr}).front();
            }
            requireStorable(options, whole.d1, whole.d2);
        } catch (const Error& error) {
            throw Error(error.problem(), whole.name + ", " + error.where(), error.hint());
        }
    }
}

}  // namespace

std::vector<LayerInfo> layersOf(const RunSpecification& s) {
    if (isDense(s)) {
        return {};
    }
    return selectLayers(WeightSource::open(s.model).layers(), s.layers);
}

RunSpecification resolved(RunSpecification s) {
    validate(s);
    const std::filesystem::path path = locateModel(s.model);
    s.model = std::filesystem::absolute(path).lexically_normal().string();
    s.modelSha256 = modelSha256(path);
    s = withoutIdleSettings(std::move(s));  // they must not tell two runs apart
    const RunSpecification defaults;
    if (s.seed != defaults.seed && !seedCounts(s)) {
        s.seed = defaults.seed;
    }
    if (isCalibrated(s)) {
        s.calibration.text =
            std::filesystem::absolute(calibrationText(s)).lexically_normal().string();
        s.calibration.textSha256 = sha256OfFile(s.calibration.text);
    }
    return s;
}

void requireRunnable(const RunSpecification& s) {
    requireLayers(s);
    requireTexts(s);
}

void requireLayers(const RunSpecification& s) {
    if (isDense(s)) {
        return;
    }
    const WeightSource source = WeightSource::open(s.model);
    const MatrixOptions& options = s;
    const std::vector<LayerInfo> layers = selectLayers(source.layers(), s.layers);
    const std::vector<LayerUnit> units = unitsOf(options, layers);
    if (const BlockMethod* method = options.method->asBlockMethod()) {
        requireBlocks(*method, s, source, layers);
    }
    for (const auto& [name, cr] : s.ratios) {
        if (std::none_of(layers.begin(), layers.end(), [&wanted = name](const LayerInfo& layer) {
                return layer.name == wanted;
            })) {
            throw Error("a ratio is given for " + name + ", which is not a layer of the run",
                        "ratios", "omit it, or include the layer in layers");
        }
    }
    requireForms(s, units);
}

void requireTexts(const RunSpecification& s) {
    if (isDense(s) || !(isCalibrated(s) || isRefined(s))) {
        return;
    }
    const WeightSource source = WeightSource::open(s.model);
    const Tokenizer tokenizer = source.gguf ? Tokenizer::fromGguf(*source.gguf)
                                            : Tokenizer::fromJson(source.path / "tokenizer.json");
    if (isCalibrated(s)) {
        static_cast<void>(sampleSequences(tokenizer, calibrationOptionsOf(s)));
    }
    if (isRefined(s)) {
        static_cast<void>(refinementText(s, tokenizer));
    }
}

CalibrationOptions calibrationOptionsOf(const RunSpecification& s) {
    CalibrationOptions options;
    options.text = calibrationText(s);
    options.sequences = s.calibration.sequences;
    options.length = s.calibration.length;
    options.seed = s.calibration.seed;
    options.heldOut = isCalibrated(s) ? heldOutSequences(s.heldOut, options.sequences) : 0;
    options.weightGradients = methodOf(s).needsGradients();
    return options;
}

std::int64_t blocksUpTo(const std::vector<LayerInfo>& layers) {
    std::int64_t blocks = 0;
    for (const LayerInfo& layer : layers) {
        blocks = std::max(blocks, layer.block + 1);
    }
    return blocks;
}

CalibrationOptions calibrationOptionsOf(const RunSpecification& s,
                                        const std::vector<LayerInfo>& allLayers) {
    CalibrationOptions options = calibrationOptionsOf(s);
    const std::int64_t blocks = blocksUpTo(selectLayers(allLayers, s.layers));
    options.blocks = blocks < blocksUpTo(allLayers) ? blocks : 0;
    return options;
}

}  // namespace cospadi
