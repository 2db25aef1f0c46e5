#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/model/forward.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi::cli {

namespace {

struct LogitsOptions {
    std::string model;
    std::vector<std::int32_t> ids;
    std::int64_t top = 5;
    std::string out;
};

int logits(const Session& session, const LogitsOptions& options) {
    const Model model = loadModelOrRun(options.model);
    ThreadPool pool;
    ForwardPass forward(model, pool);
    const Eigen::MatrixXf hidden =
        forward.hiddenStates(options.ids, static_cast<std::int64_t>(options.ids.size()));
    // (vocabulary, tokens) column-major is row-major [tokens, vocabulary] on disk.
    const Eigen::MatrixXf all = forward.logits(options.out.empty() ? hidden.rightCols(1) : hidden);
    if (!options.out.empty()) {
        writeFileAtomically(options.out, std::as_bytes(std::span(
                                             all.data(), static_cast<std::size_t>(all.size()))));
    }
    const Eigen::VectorXd last = all.rightCols(1).cast<double>();
    const double top = last.maxCoeff();
    const double logSum = top + std::log((last.array() - top).exp().sum());
    std::vector<std::int32_t> order(static_cast<std::size_t>(last.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto count = std::min<std::int64_t>(options.top, last.size());
    std::partial_sort(order.begin(), order.begin() + count, order.end(),
                      [&](std::int32_t a, std::int32_t b) { return last(a) > last(b); });
    nlohmann::json best = nlohmann::json::array();
    std::string text = fmt::format("{:>8} {:>12} {:>12}  token\n", "id", "logit", "log p");
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int32_t id = order[static_cast<std::size_t>(i)];
        // Heads are often padded: a vocabulary beyond the tokenizer's has no texts.
        const bool named = model.hasTokenizer() && id < model.tokenizer().vocabularySize();
        const std::string token = named ? model.tokenizer().tokenText(id) : "";
        text += fmt::format("{:>8} {:>12.6f} {:>12.6f}  \"{}\"\n", id, last(id), last(id) - logSum,
                            token);
        best.push_back({{"id", id}, {"logit", last(id)}, {"logprob", last(id) - logSum}});
    }
    if (!options.out.empty()) {
        text += fmt::format("{} x {} float32 logits in {}\n", all.cols(), all.rows(), options.out);
    }
    session.print(text,
                  {{"tokens", options.ids.size()}, {"vocabulary", all.rows()}, {"top", best}});
    return kOk;
}

}  // namespace

void addLogits(Command app, Session& session) {
    const Command command =
        app.addCommand("logits", "Show the scores of the next token after a list of ids");
    auto options = std::make_shared<LogitsOptions>();
    command.addOption("MODEL", options->model, "Path, run, or the word default").required();
    command.addOption("--ids", options->ids, "Token ids, e.g. 504,3575,282")
        .delimiter(',')
        .required();
    command.addOption("--top", options->top, "Number of tokens to print")
        .inRange(1, 1 << 20)
        .showDefault();
    command.addOption(
        "--out", options->out,
        "Write the logits of all positions: little-endian float32, row-major (tokens, vocabulary)");
    finishCommand(command, session, [&session, options] { return logits(session, *options); });
}

}  // namespace cospadi::cli
