// `cospadi predict`: what compressing a model will come to before anything is compressed, and which
// ratio every matrix should have (core/allocation/model_prediction.h).
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/cli/session.h"
#include "app/cli/specification_flags.h"
#include "app/command_line/number_text.h"
#include "core/allocation/model_prediction.h"
#include "core/explore/whole_model.h"
#include "core/model/layer_pattern.h"
#include "core/store/method_label.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

struct PredictOptions {
    RunSpecification specification;
    std::optional<double> bytes;
    std::vector<std::string> pins;
    std::vector<std::string> limits;
    std::string exclude;
};

// "blk.0.attn_q=0.3"
std::pair<std::string, double> namedRatio(const std::string& text, const char* flag) {
    const std::size_t sign = text.rfind('=');
    const auto ratio =
        sign == std::string::npos ? std::nullopt : realNumberIn(text.substr(sign + 1));
    if (!ratio) {
        throw UsageError(Error(fmt::format("'{}' is not a layer with a ratio", text), flag,
                               "write NAME=CR, e.g. blk.0.attn_q=0.1"));
    }
    return {text.substr(0, sign), *ratio};
}

PredictionTarget targetOf(const PredictOptions& options, const ModelCurves& curves) {
    PredictionTarget target;
    target.cr = options.specification.cr;
    target.bytes = options.bytes;
    for (const std::string& pin : options.pins) {
        target.pins.insert(namedRatio(pin, "--pin"));
    }
    for (const std::string& limit : options.limits) {
        target.limits.insert(namedRatio(limit, "--limit"));
    }
    if (!options.exclude.empty()) {
        const LayerPattern pattern(options.exclude);
        for (const LayerCurve& layer : curves.layers) {
            if (pattern.finds(layer.name)) {
                target.excluded.insert(layer.name);
            }
        }
    }
    return target;
}

json jsonOf(const Prediction& prediction) {
    json layers = json::array();
    for (const LayerPrediction& layer : prediction.layers) {
        layers.push_back({{"name", layer.name},
                          {"cr", layer.cr},
                          {"relative_error", layer.error},
                          {"divergence", layer.divergence},
                          {"bytes", layer.bytes}});
    }
    return {{"cr", prediction.cr()},
            {"bytes", prediction.bytes},
            {"dense_bytes", prediction.denseBytes},
            {"model_bytes", prediction.modelBytes},
            {"divergence", prediction.divergence},
            {"loss", prediction.loss},
            {"perplexity", prediction.perplexity},
            {"gain_per_megabyte", prediction.gainPerMegabyte},
            {"doubts", inEnglish(prediction.doubts)},
            {"layers", std::move(layers)}};
}

std::string rowOf(const char* name, const Prediction& p) {
    return fmt::format("{:<10} {:>7.4f} {:>11} {:>11} {:>12.4f} {:>9.4f} {:>11.2f}\n", name, p.cr(),
                       humanBytes(p.bytes), humanBytes(p.modelBytes), p.divergence, p.loss,
                       p.perplexity);
}

// CR over blocks and kinds, in percent.
std::string mapOf(const ModelCurves& curves, const Prediction& prediction) {
    std::vector<std::string> kinds;
    std::map<std::int64_t, std::map<std::string, double>> rows;
    for (std::size_t i = 0; i < curves.layers.size(); ++i) {
        const LayerCurve& layer = curves.layers[i];
        if (std::find(kinds.begin(), kinds.end(), layer.kind) == kinds.end()) {
            kinds.push_back(layer.kind);
        }
        rows[layer.block][layer.kind] = prediction.layers[i].cr;
    }
    std::string text = fmt::format("\n{:<6}", "CR %");
    for (const std::string& kind : kinds) {
        text += fmt::format("{:>12}", kind);
    }
    text += '\n';
    for (const auto& [block, crs] : rows) {
        text += fmt::format("{:<6}", block);
        for (const std::string& kind : kinds) {
            const auto cr = crs.find(kind);
            text += cr == crs.end() || cr->second == 0 ? fmt::format("{:>12}", "–")
                                                       : fmt::format("{:>12.0f}", 100 * cr->second);
        }
        text += '\n';
    }
    return text;
}

int predict(const Session& session, const PredictOptions& options) {
    asUsage([&] {
        validate(options.specification);
        static_cast<void>(curveOptions(options.specification));
        static_cast<void>(targetOf(options, {}));
    });
    ProgressLine line;
    WholeModelCallbacks callbacks;
    callbacks.progress = session.progress(line);
    const auto curves =
        measureWholeModel(options.specification, 0, callbacks, session.signals.token());
    line.clear();
    if (!curves) {
        fmt::print(stderr, "cancelled; run the same command again to resume\n");
        return kCancelled;
    }
    const ModelPredictor predictor(*curves, curveOptions(options.specification));
    PredictionTarget target = targetOf(options, *curves);
    const Prediction shared = predictor.predict(target);
    target.uniform = true;
    std::optional<Prediction> uniform;
    std::string noUniform;
    try {
        uniform = predictor.predict(target);
    } catch (const Error& error) {
        noUniform = error.what();
    }
    json ratios = json::object();
    for (const LayerPrediction& layer : shared.layers) {
        if (layer.cr > 0) {
            ratios[layer.name] = layer.cr;
        }
    }
    std::string text = fmt::format(
        "{}, perplexity {:.2f} uncompressed ({} tokens of {})\n\n{:<10} {:>7} {:>11} {:>11} "
        "{:>12} {:>9} {:>11}\n",
        methodLabel(options.specification), curves->densePerplexity, curves->densePerplexityTokens,
        curves->densePerplexityText, "", "CR", "matrices", "model", "divergence", "loss",
        "perplexity");
    text += rowOf("shared", shared) +
            (uniform ? rowOf("uniform", *uniform) : "no uniform ratio: " + noUniform + "\n");
    text += fmt::format("\none more MB gains {:.5f} nats per token\n", shared.gainPerMegabyte);
    text += mapOf(*curves, shared);
    for (const Phrase& doubt : shared.doubts) {
        text += "caution: " + inEnglish(doubt) + "\n";
    }
    session.print(text, {{"shared", jsonOf(shared)},
                         {"uniform", uniform ? jsonOf(*uniform) : json()},
                         {"dense_perplexity", curves->densePerplexity},
                         {"text", curves->densePerplexityText},
                         {"tokens", curves->densePerplexityTokens},
                         {"ratios", std::move(ratios)}});
    return kOk;
}

}  // namespace

void addPredict(Command app, Session& session) {
    const Command command = app.addCommand(
        "predict",
        "Predict the result of compressing a model, with the best ratio for each matrix; measures "
        "errors and their cost for about three minutes, once per method, ρ and storage");
    auto options = std::make_shared<PredictOptions>();
    addRunFlags(command, options->specification, RatiosFlag::Without);
    command.addOption("--bytes", options->bytes,
                      "Instead of --cr: size of the whole model in bytes, with embedding and "
                      "excluded layers in bfloat16");
    command
        .addOption("--pin", options->pins,
                   "NAME=CR: fix this matrix's ratio; may be given several times")
        .oneWordEach();
    command
        .addOption("--limit", options->limits,
                   "NAME=CR: limit this matrix's ratio; may be given several times")
        .oneWordEach();
    command
        .addOption("--exclude", options->exclude,
                   "Regular expression of matrices to leave uncompressed")
        .check([](const std::string& text) {
            const std::string problem = problemOfPattern(text);
            return problem.empty()
                       ? problem
                       : fmt::format("'{}' is not a regular expression: {}", text, problem);
        });
    finishCommand(command, session, [&session, options] { return predict(session, *options); });
}

}  // namespace cospadi::cli
