#include <fmt/format.h>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/pipeline/compressed_model.h"
#include "core/pipeline/evaluate_run.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

struct Options {
    EvaluationRequest request;
    std::string text;
    std::string score = "all";
};

int evaluate(const Session& session, Options options) {
    options.request.text = textPath(options.text);
    options.request.options.score = scoredTokensFromName(options.score);
    ProgressLine line;
    const auto outcome =
        evaluateAndRecord(options.request, session.progress(line), session.signals.token());
    line.clear();
    if (!outcome) {
        fmt::print(stderr, "cancelled\n");
        return kCancelled;
    }
    const PerplexityResult& r = outcome->result;
    if (!outcome->recordedAs.empty()) {
        RunStore::open(storePath()).importRun(runDirectoryOf(options.request.model));
    }
    session.print(
        fmt::format("perplexity {:.6f}  over {} of {} tokens, context {}, score {}, {} ({:.0f} "
                    "tokens/s){}\n",
                    r.perplexity, r.tokensScored, r.tokensRead, options.request.options.context,
                    options.score, humanSeconds(r.seconds), r.tokensPerSecond,
                    outcome->recordedAs.empty() ? "" : "\nrecorded with the run"),
        {{"perplexity", r.perplexity},
         {"nll_sum", r.nllSum},
         {"tokens", r.tokensScored},
         {"tokens_read", r.tokensRead},
         {"context", options.request.options.context},
         {"score", options.score},
         {"seconds", r.seconds},
         {"tokens_per_second", r.tokensPerSecond}});
    return kOk;
}

}  // namespace

void addEvaluate(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand("evaluate", "Perplexity of a model or run over a text");
    auto options = std::make_shared<Options>();
    PerplexityOptions& p = options->request.options;
    command->add_option("MODEL", options->request.model, "Path, run, or the word default")
        ->required();
    command
        ->add_option("--perplexity", options->text,
                     "The text: a file, or wikitext2 (ships with the program)")
        ->required();
    command->add_option("--context", p.context, "Tokens a chunk; each chunk stands alone")
        ->capture_default_str();
    command->add_option("--max-tokens", p.maxTokens, "Only the first N tokens of the text [all]");
    command
        ->add_option(
            "--score", options->score,
            "all, or second-half: only tokens that have seen half a context (llama.cpp's way)")
        ->capture_default_str();
    finishCommand(command, session, [&session, options] { return evaluate(session, *options); });
}

}  // namespace cospadi::cli
