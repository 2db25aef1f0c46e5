#include "core/run/resolve_specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/methods/compress_matrix.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/model/weight_source.h"
#include "core/store/run_settings.h"

namespace cospadi {

std::vector<LayerInfo> selectLayers(const std::vector<LayerInfo>& layers,
                                    const std::string& regex) {
    const std::regex pattern(regex);
    std::vector<LayerInfo> selected;
    for (const LayerInfo& layer : layers) {
        if (std::regex_search(layer.name, pattern)) {
            selected.push_back(layer);
        }
    }
    if (selected.empty()) {
        throw Error(fmt::format("'{}' finds no layer", regex), "layers",
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

// Whether the solver draws anything at random for a layer: K-SVD's random beginnings do, and
// atoms that singular vectors do not give. These are min(d1, d2); ksvd begins with all k atoms,
// fast with as many as its side has and grows from there without drawing.
bool drawsFor(const RunSpecification& s, const MatrixOptions& options, const LayerInfo& layer) {
    const std::int64_t directions = std::min(layer.d1, layer.d2);
    if (options.solver == Solver::Ksvd) {
        return options.init != DictionaryInit::Svd ||
               s.allocation != "uniform" ||  // its k is not known yet
               sparseBudgetOf(options, layer.d1, layer.d2).k > directions;
    }
    const bool isInput = sideOf(options, layer.d1, layer.d2) == DictionarySide::Input;
    const std::int64_t rows = isInput ? layer.d1 : layer.d2;
    return rows > directions && (s.allocation != "uniform" ||
                                 sparseBudgetOf(options, layer.d1, layer.d2).k > directions);
}

bool seedCounts(const RunSpecification& s) {
    if (!isSparse(s)) {
        return false;
    }
    const MatrixOptions options = matrixOptionsOf(s);
    if (options.solver == Solver::Ksvd && options.init != DictionaryInit::Svd) {
        return true;
    }
    const std::regex pattern(s.layers);
    const std::vector<LayerInfo> layers = WeightSource::open(s.model).layers();
    return std::any_of(layers.begin(), layers.end(), [&](const LayerInfo& layer) {
        try {
            return std::regex_search(layer.name, pattern) && drawsFor(s, options, layer);
        } catch (const Error&) {  // no room for an atom: the run will say so
            return false;
        }
    });
}

}  // namespace

std::vector<LayerInfo> layersOf(const RunSpecification& s) {
    if (methodFromName(s.method) == Method::Dense) {
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
        s.calibration.text = calibrationText(s).string();
        s.calibration.textSha256 = sha256OfFile(s.calibration.text);
    }
    return s;
}

void requireRunnable(const RunSpecification& s) {
    const Method method = methodFromName(s.method);
    if (method == Method::Dense) {
        return;
    }
    const WeightSource source = WeightSource::open(s.model);
    static_cast<void>(selectLayers(source.layers(), s.layers));
    if (needsCalibration(method)) {
        const Tokenizer tokenizer = source.gguf
                                        ? Tokenizer::fromGguf(*source.gguf)
                                        : Tokenizer::fromJson(source.path / "tokenizer.json");
        static_cast<void>(sampleSequences(tokenizer, calibrationOptionsOf(s)));
    }
}

MatrixOptions matrixOptionsOf(const RunSpecification& s) {
    MatrixOptions options;
    options.method = methodFromName(s.method);
    options.solver = solverFromName(s.solver);
    options.cr = s.cr;
    options.rho = s.rho;
    options.accounting = s.accounting;
    options.coefficientBits = s.coefficientBits;
    if (s.coefficientFormat != "auto") {
        options.coefficientFormat = coefficientFormatFromName(s.coefficientFormat);
    }
    options.iterations = s.iterations;
    options.powerIterations = s.powerIterations;
    options.init = dictionaryInitFromName(s.init);
    options.update = dictionaryUpdateFromName(s.update);
    options.deadAtoms = deadAtomsFromName(s.deadAtoms);
    options.coefficientRounding = coefficientRoundingFromName(s.coefficientRounding);
    if (s.side != "auto") {
        options.side = dictionarySideFromName(s.side);
    }
    if (s.refit != "auto") {
        options.refit = s.refit == "on";
    }
    options.tolerance = s.tolerance;
    options.ridge = s.ridge;
    options.seed = s.seed;
    return options;
}

CalibrationOptions calibrationOptionsOf(const RunSpecification& s) {
    CalibrationOptions options;
    options.text = calibrationText(s);
    options.sequences = s.calibration.sequences;
    options.length = s.calibration.length;
    options.seed = s.calibration.seed;
    return options;
}

}  // namespace cospadi
