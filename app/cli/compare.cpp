#include <fmt/format.h>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/base/resources.h"
#include "core/calibration/text_corpus.h"
#include "core/evaluation/model_comparison.h"
#include "core/exports/compressed_model.h"

namespace cospadi::cli {

namespace {

struct CompareOptions {
    std::string a, b;
    std::string text = "wikitext2";
    std::int64_t maxTokens = 2048;
    std::int64_t context = 512;
    bool weightsOnly = false;
};

nlohmann::json predictionsJson(const PredictionDifference& p) {
    return {{"positions", p.positions},          {"kl_mean_nats", p.meanDivergence},
            {"kl_p99_nats", p.p99Divergence},    {"kl_max_nats", p.maxDivergence},
            {"top1_agreement", p.top1Agreement}, {"perplexity_a", p.perplexityA},
            {"perplexity_b", p.perplexityB}};
}

int compare(const Session& session, const CompareOptions& options) {
    const Model a = loadModelOrRun(options.a);
    const Model b = loadModelOrRun(options.b);
    ThreadPool pool;
    const std::vector<LayerDifference> layers = compareWeights(a, b, pool);
    nlohmann::json rows = nlohmann::json::array();
    std::string text = fmt::format("A: {}\nB: {}\n\n", options.a, options.b);
    double sum = 0;
    std::size_t changed = 0;
    for (const LayerDifference& layer : layers) {
        rows.push_back({{"name", layer.name},
                        {"d1", layer.d1},
                        {"d2", layer.d2},
                        {"plain_relative_error", layer.relativeError}});
        if (layer.relativeError > 0) {
            text += changed == 0
                        ? fmt::format("{:<22} {:>14} {:>14}\n", "layer", "shape", "|A - B| / |A|")
                        : "";
            text += fmt::format("{:<22} {:>14} {:>14.4f}\n", layer.name,
                                fmt::format("{}x{}", layer.d1, layer.d2), layer.relativeError);
            sum += layer.relativeError;
            ++changed;
        }
    }
    text +=
        changed == 0
            ? fmt::format("All {} layers have equal weights.\n", layers.size())
            : fmt::format("{} of {} layers differ, on average by {:.4f} (of the plain weights)\n",
                          changed, layers.size(), sum / static_cast<double>(changed));
    nlohmann::json object{{"a", options.a}, {"b", options.b}, {"layers", rows}};
    object["changed"] = changed;
    if (!options.weightsOnly) {
        std::vector<std::int32_t> ids =
            a.tokenizer().encode(readWholeText(namedText(options.text)));
        if (options.maxTokens > 0 && static_cast<std::int64_t>(ids.size()) > options.maxTokens) {
            ids.resize(static_cast<std::size_t>(options.maxTokens));
        }
        ProgressLine line;
        const auto predictions = comparePredictions(
            a, b, pool, ids, options.context, session.progress(line), session.signals.token());
        line.clear();
        if (!predictions) {
            fmt::print(stderr, "cancelled\n");
            return kCancelled;
        }
        object["predictions"] = predictionsJson(*predictions);
        text += fmt::format(
            "\npredictions at {} positions of {}, context {}\n"
            "  KL(A || B)       mean {:.2e}, 99 % below {:.2e}, largest {:.2e} nats\n"
            "  same best token  {:.2f} %\n"
            "  perplexity       A {:.4f}, B {:.4f}\n",
            predictions->positions, options.text, options.context, predictions->meanDivergence,
            predictions->p99Divergence, predictions->maxDivergence,
            100 * predictions->top1Agreement, predictions->perplexityA, predictions->perplexityB);
    }
    session.print(text, object);
    return kOk;
}

}  // namespace

void addCompare(Command app, Session& session) {
    const Command command = app.addCommand(
        "compare", "Compare two models: weights layer by layer, KL divergence, perplexity");
    auto options = std::make_shared<CompareOptions>();
    command.addOption("A", options->a, "Run, path, or the word default; the reference").required();
    command.addOption("B", options->b, "Run, path, or the word default").required();
    command.addOption("--text", options->text, "A file, or wikitext2").showDefault();
    command.addOption("--max-tokens", options->maxTokens, "Only the first N tokens; 0 = all")
        .showDefault();
    command.addOption("--context", options->context, "Tokens per chunk").showDefault();
    command.addFlag("--weights-only", options->weightsOnly, "Do not run the models");
    finishCommand(command, session, [&session, options] { return compare(session, *options); });
}

}  // namespace cospadi::cli
