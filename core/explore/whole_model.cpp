#include "core/explore/whole_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <sstream>
#include <utility>

#include "core/allocation/curve_measurement.h"
#include "core/allocation/probe_text.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/stopwatch.h"
#include "core/calibration/calibration.h"
#include "core/calibration/text_corpus.h"
#include "core/evaluation/perplexity.h"
#include "core/methods/block_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/output_metric.h"
#include "core/model/model.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

namespace {

constexpr const char* kTriedText = "wikitext2";  // but for what is predicted
constexpr double kTellSeconds = 1;               // between two estimates

// Everything but these layers' weights, as a compressed folder has it: two bytes a number.
double otherBytesOf(const Model& model, const std::vector<LayerInfo>& layers) {
    double bytes = 0;
    for (const LayerInfo& layer : model.layers()) {
        bytes += 2 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    for (const LayerInfo& layer : layers) {
        bytes -= 2 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    for (const PlainTensor& tensor : model.plainTensors()) {
        bytes += 2 * static_cast<double>(tensor.count);
    }
    return bytes;
}

// Sequences of the whole length of a text: what errors cost differs between its articles.
std::vector<std::int32_t> spreadOver(std::span<const std::int32_t> text) {
    std::vector<std::int32_t> ids;
    const auto length = static_cast<std::size_t>(kWholeLength);
    for (std::size_t i = 0; text.size() >= length && i < kWholeSequences; ++i) {
        const auto from = text.subspan(i * (text.size() - length) / (kWholeSequences - 1), length);
        ids.insert(ids.end(), from.begin(), from.end());
    }
    return ids;
}

// A text but for the lines of another.
std::string withoutLines(const std::string& text, const std::string& other) {
    std::set<std::string> left;
    std::istringstream others(other);
    for (std::string line; std::getline(others, line);) {
        left.insert(line);
    }
    std::string rest;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        rest += left.contains(line) ? "" : line + '\n';
    }
    return rest;
}

class WholeModel {
  public:
    WholeModel(const RunSpecification& specification, int threads,
               const WholeModelCallbacks& callbacks, const std::stop_token& stop)
        : m_specification(resolved(specification)),
          m_options(curveOptions(m_specification)),
          m_pool(threads),
          m_callbacks(callbacks),
          m_stop(stop) {}

    std::optional<ModelCurves> measure() {
        progress({"model", 0, 1, 0, -1});
        Model model = Model::load(m_specification.model, {.pool = &m_pool});
        const std::vector<LayerInfo> layers = selectLayers(model.layers(), m_specification.layers);
        std::optional<GramSet> grams;
        if (isCalibrated(m_specification)) {
            grams = calibrate(
                model, m_pool, calibrationOptionsOf(m_specification, model.layers()),
                [this](const Progress& p) { progress(p); }, m_stop);
            if (!grams) {
                return std::nullopt;
            }
        }
        const auto probeText =
            sampleProbeText(model.tokenizer(), calibrationOptionsOf(m_specification));
        const std::string predicted = readWholeText(namedText(kPredictedText));
        const std::vector<std::int32_t> predictedText = model.tokenizer().encode(predicted);
        // What is predicted is nothing that was measured.
        const auto wholeText = spreadOver(model.tokenizer().encode(
            withoutLines(readWholeText(namedText(kTriedText)), predicted)));
        const std::string wholeTrial = wholeTrialKey(wholeText, kWholeLength, layers);
        CurveStore store(m_specification.modelSha256, grams ? grams->cacheKey : "", m_options);
        // What is no curve has a file of its own: it is that of every method.
        CurveStore facts(m_specification.modelSha256, "", MatrixOptions());
        const std::string predictedKey = wholeTrialKey(predictedText, kPredictedContext, {});
        m_otherBytes = otherBytesOf(model, layers);
        const auto estimate = [&] {
            ModelCurves curves = estimateCurves(layers, m_options, store, wholeTrial);
            curves.otherBytes = m_otherBytes;
            if (const auto loss = facts.wholeLoss({}, predictedKey)) {
                curves.densePerplexity = std::exp(*loss);
                curves.densePerplexityText = kPredictedText;
                curves.densePerplexityTokens = static_cast<std::int64_t>(predictedText.size()) /
                                               kPredictedContext * kPredictedContext;
            }
            return curves;
        };
        tell(estimate());
        Stopwatch told;
        double last = 0;
        const auto onProgress = [&](const Progress& p) {
            progress(p);
            if (told.seconds() - last > kTellSeconds) {
                last = told.seconds();
                tell(estimate());
            }
        };
        const CurveProblem problem{
            model, m_pool, grams ? &*grams : nullptr, layers, m_options, probeText, wholeText};
        if (!measureCurves(problem, store, onProgress, m_stop)) {
            return std::nullopt;
        }
        if (!facts.wholeLoss({}, predictedKey)) {
            PerplexityOptions options;
            options.context = kPredictedContext;
            const auto dense = evaluatePerplexity(
                model, m_pool, predictedText, options, [this](const Progress& p) { progress(p); },
                m_stop);
            if (!dense) {
                return std::nullopt;
            }
            facts.setWholeLoss({}, predictedKey, std::log(dense->perplexity));
            facts.save();
        }
        ModelCurves curves = estimate();
        curves.isComplete = true;
        tell(curves);
        return curves;
    }

  private:
    void progress(const Progress& p) const {
        if (m_callbacks.progress) {
            m_callbacks.progress(p);
        }
    }

    void tell(const ModelCurves& curves) const {
        if (m_callbacks.curves && !curves.layers.empty()) {
            m_callbacks.curves(curves);
        }
    }

    RunSpecification m_specification;
    MatrixOptions m_options;
    ThreadPool m_pool;
    const WholeModelCallbacks& m_callbacks;
    const std::stop_token& m_stop;
    double m_otherBytes = 0;
};

}  // namespace

MatrixOptions curveOptions(const RunSpecification& specification) {
    requireLayerMethod(methodOf(specification));
    if (!hasRatio(specification)) {
        throw Error(fmt::format("method {} has no compression ratio to predict for",
                                methodOf(specification).name()),
                    "method", "use cospadi, svd-llm or another one with a ratio");
    }
    if (specification.autoRho) {
        throw Error("predictions require the same ρ for all matrices", "rho", "give a number");
    }
    return withoutOutputMetric(withoutGroups(specification));
}

std::optional<ModelCurves> measureWholeModel(const RunSpecification& specification, int threads,
                                             const WholeModelCallbacks& callbacks,
                                             const std::stop_token& stop) {
    return WholeModel(specification, threads, callbacks, stop).measure();
}

}  // namespace cospadi
