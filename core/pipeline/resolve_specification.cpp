#include "core/pipeline/resolve_specification.h"

#include <fmt/format.h>

#include <filesystem>
#include <regex>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/methods/compress_matrix.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/model/weight_source.h"

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

RunSpecification resolved(RunSpecification s) {
    validate(s);
    const std::filesystem::path path = locateModel(s.model);
    s.model = std::filesystem::absolute(path).lexically_normal().string();
    s.modelSha256 = modelSha256(path);
    const Method method = methodFromName(s.method);
    if (!isSparse(method)) {  // fields that do not count must not tell two runs apart
        const RunSpecification defaults;
        s.solver = defaults.solver;
        s.rho = defaults.rho;
        s.accounting = defaults.accounting;
        s.coefficientBits = 0;
        s.iterations = 0;
        s.powerIterations = defaults.powerIterations;
        s.init = defaults.init;
        s.update = defaults.update;
        s.side = defaults.side;
        s.tolerance = 0;
    }
    if (needsCalibration(method)) {
        if (s.calibration.text.empty()) {
            s.calibration.text = resourcePath("texts/c4_calib.jsonl").string();
        }
        s.calibration.textSha256 = sha256OfFile(s.calibration.text);
    } else {
        s.calibration = CalibrationSpecification{};
        s.calibration.sequences = 0;
        s.calibration.length = 0;
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
    options.iterations = s.iterations;
    options.powerIterations = s.powerIterations;
    options.init = dictionaryInitFromName(s.init);
    options.update = dictionaryUpdateFromName(s.update);
    if (s.side != "auto") {
        options.side = dictionarySideFromName(s.side);
    }
    options.tolerance = s.tolerance;
    options.seed = s.seed;
    return options;
}

CalibrationOptions calibrationOptionsOf(const RunSpecification& s) {
    CalibrationOptions options;
    options.text = s.calibration.text.empty() ? resourcePath("texts/c4_calib.jsonl")
                                              : std::filesystem::path(s.calibration.text);
    options.sequences = s.calibration.sequences;
    options.length = s.calibration.length;
    options.seed = s.calibration.seed;
    return options;
}

}  // namespace cospadi
