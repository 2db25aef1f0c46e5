#include "core/serving/generation_speed.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/model/forward.h"
#include "core/serving/request_times.h"

namespace cospadi {

namespace {

struct TimedText {
    double firstToken = 0;
    double seconds = 0;
};

TimedText timedText(const Model& model, ForwardPass& pass, std::span<const std::int32_t> prompt,
                    std::int64_t tokens) {
    KeyValueCache cache(model.config());
    std::vector<std::int32_t> next(prompt.begin(), prompt.end());
    TimedText timed;
    const Stopwatch clock;
    for (std::int64_t i = 0; i < tokens; ++i) {
        const std::vector<Continuation> batch = {{&cache, next}};
        const Eigen::MatrixXf hidden = pass.extend(batch);
        const Eigen::MatrixXf logits = pass.logits(hidden.rightCols(1));
        Eigen::Index likeliest = 0;
        logits.col(0).maxCoeff(&likeliest);
        next = {static_cast<std::int32_t>(likeliest)};
        timed.firstToken = i == 0 ? clock.seconds() : timed.firstToken;
    }
    timed.seconds = clock.seconds();
    return timed;
}

}  // namespace

std::optional<ThroughputPoint> generationSpeed(const Model& model, ThreadPool& pool,
                                               std::span<const std::int32_t> ids,
                                               const GenerationStudy& study,
                                               const std::stop_token& stop) {
    const std::int64_t context = model.config().contextLength;
    if (study.prompt + study.tokens > context) {
        throw Error(
            fmt::format("{} prompt tokens and {} generated ones exceed the model's context of {}",
                        study.prompt, study.tokens, context),
            "prompt", "use shorter prompts or fewer tokens");
    }
    const auto available = static_cast<std::int64_t>(ids.size());
    if (available < study.prompt) {
        throw Error(fmt::format("the text has {} tokens, but a prompt {}", available, study.prompt),
                    "text", "use a longer text");
    }
    ForwardPass pass(model, pool);
    ThroughputPoint point;
    point.prompt = study.prompt;
    RequestTimes times;
    for (std::int64_t round = 0; round <= study.rounds; ++round) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        const std::int64_t places = available - study.prompt + 1;
        const auto prompt = ids.subspan(static_cast<std::size_t>(round * study.prompt % places),
                                        static_cast<std::size_t>(study.prompt));
        const TimedText timed = timedText(model, pass, prompt, study.tokens);
        if (round == 0) {
            continue;  // brings weights and threads to where they will be
        }
        point.seconds += timed.seconds;
        times.add(timed.seconds, timed.firstToken, study.tokens);
    }
    times.fill(point);
    return point;
}

}  // namespace cospadi
