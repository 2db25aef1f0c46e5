#include "core/run/evaluate_run.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/base/sha256.h"
#include "core/base/temporary_name.h"
#include "core/base/timestamp.h"
#include "core/calibration/text_corpus.h"
#include "core/exports/compressed_model.h"
#include "core/model/device_products.h"
#include "core/run/dense_run.h"
#include "core/store/run_file.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

// What makes two evaluations of a run the same question.
nlohmann::json settingsOf(const EvaluationRequest& request) {
    return {{"kind", "perplexity"},
            {"text_sha256", sha256OfFile(request.text)},
            {"context", request.options.context},
            {"max_tokens", request.options.maxTokens},
            {"score", name(request.options.score)}};
}

std::filesystem::path fileOf(const std::filesystem::path& run, const nlohmann::json& settings) {
    return run / "evaluations" /
           fmt::format("perplexity-{}.json", sha256OfString(settings.dump()).substr(0, 12));
}

std::filesystem::path record(const std::filesystem::path& run, const EvaluationRequest& request,
                             const nlohmann::json& settings, const EvaluationOutcome& outcome) {
    const PerplexityResult& result = outcome.result;
    nlohmann::json evaluation = settings;
    evaluation["text"] = request.text.string();
    evaluation["perplexity"] = result.perplexity;
    evaluation["tokens"] = result.tokensScored;
    evaluation["seconds"] = result.seconds;
    evaluation["device"] = outcome.device;
    evaluation["created"] = utcTimestamp();
    std::filesystem::create_directories(run / "evaluations");
    removeAbandoned(run / "evaluations");
    // The same question asked again replaces its earlier answer.
    std::filesystem::path path = fileOf(run, settings);
    writeFileAtomically(path, evaluation.dump(1) + "\n");
    return path;
}

// Of what is to be scored. Text and tokenizer are gone before the weights are at work.
std::vector<std::int32_t> tokensOf(std::string text, Model& model, std::int64_t most) {
    std::vector<std::int32_t> ids = model.takeTokenizer().encode(text);
    if (most > 0) {
        ids.resize(std::min(ids.size(), static_cast<std::size_t>(most)));
        ids.shrink_to_fit();
    }
    text = {};
#ifdef __GLIBC__
    malloc_trim(0);  // a vocabulary is many small pieces, which the allocator would keep
#endif
    return ids;
}

}  // namespace

std::optional<EvaluationOutcome> evaluateAndRecord(const EvaluationRequest& request,
                                                   const ProgressCallback& progress,
                                                   const std::stop_token& stop) {
    request.options.validate();
    std::string text = readWholeText(request.text);  // before the model: it may be refused
    // Now and not when the result is there: by then another text may have the name.
    const nlohmann::json settings = settingsOf(request);
    std::filesystem::path run = runDirectoryOf(request.model);
    std::string unrecorded;
    if (run.empty()) {
        try {
            run = denseRunOf(request.model);
        } catch (const std::exception& error) {  // measured all the same
            unrecorded = error.what();
        }
    }
    Model model = loadForEvaluation(request.model, request.device);
    const std::vector<std::int32_t> ids =
        tokensOf(std::move(text), model, request.options.maxTokens);
    ThreadPool pool(request.threads);
    std::string device;
    const auto products =
        productsOn(request.device, pool.threadCount(), device, request.cpuTakesOver);
    const std::optional<PerplexityResult> result =
        evaluatePerplexity(model, pool, ids, request.options, progress, stop, products.get());
    if (!result) {
        return std::nullopt;
    }
    EvaluationOutcome outcome{*result, device, {}, unrecorded};
    if (!run.empty()) {
        try {
            outcome.recordedAs = record(run, request, settings, outcome);
        } catch (const std::exception& error) {  // what took long to compute is given back
            outcome.unrecorded = error.what();
        }
    }
    return outcome;
}

std::optional<double> recordedPerplexity(const EvaluationRequest& request) {
    const std::filesystem::path run = runDirectoryOf(request.model);
    const std::filesystem::path path = run.empty() ? run : fileOf(run, settingsOf(request));
    if (path.empty() || !std::filesystem::exists(path)) {
        return std::nullopt;
    }
    const nlohmann::json evaluation = readRunJson(path, "delete the file and evaluate again");
    const auto value = evaluation.find("perplexity");
    const bool isRecorded = value != evaluation.end() && (value->is_number() || value->is_null());
    return isRecorded ? std::optional(numberOrNaN(*value)) : std::nullopt;
}

const char* name(ScoredTokens score) { return score == ScoredTokens::All ? "all" : "second-half"; }

ScoredTokens scoredTokensFromName(const std::string& name) {
    if (name == "all") {
        return ScoredTokens::All;
    }
    if (name == "second-half") {
        return ScoredTokens::SecondHalf;
    }
    throw Error(fmt::format("'{}' is not a way to score", name), "score", "use all or second-half");
}

}  // namespace cospadi
