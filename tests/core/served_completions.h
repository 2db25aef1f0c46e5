// Completions of a scheduler, waited for.
#pragma once

#include <chrono>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/serving/completion_inbox.h"
#include "core/serving/completion_scheduler.h"

namespace served {

using Ids = std::vector<std::int32_t>;

struct Completed {
    std::vector<cospadi::TokenScore> prompt, generated;
    std::string text;
    cospadi::FinishReason finish = cospadi::FinishReason::Failed;
    std::string failure;
    std::int64_t cached = 0;
};

inline std::vector<Completed> complete(cospadi::CompletionScheduler& scheduler,
                                       const std::vector<cospadi::CompletionRequest>& requests) {
    cospadi::CompletionInbox inbox;
    cospadi::CompletionTicket ticket;
    const auto refusal = scheduler.submit(
        requests, [&](cospadi::CompletionEvent event) { inbox.put(std::move(event)); }, ticket);
    std::vector<Completed> all(requests.size());
    if (refusal != cospadi::CompletionScheduler::Refusal::None) {
        return all;
    }
    for (std::size_t open = requests.size(); open > 0;) {
        cospadi::CompletionEvent event = inbox.take(std::chrono::seconds(60)).value();
        Completed& one = all[event.index];
        std::move(event.prompt.begin(), event.prompt.end(), std::back_inserter(one.prompt));
        std::move(event.generated.begin(), event.generated.end(),
                  std::back_inserter(one.generated));
        one.text += event.text;
        if (event.finish) {
            one.finish = *event.finish;
            one.failure = event.failure;
            one.cached = event.cachedTokens;
            --open;
        }
    }
    return all;
}

inline cospadi::CompletionRequest scored(Ids prompt, std::int64_t maxTokens = 1) {
    cospadi::CompletionRequest request;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.scorePrompt = true;
    return request;
}

}  // namespace served
