#include "core/reproduce/plan_here.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/thread_pool.h"
#include "core/store/locations.h"
#include "core/store/run_directory.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

}  // namespace

void requireAvailable(const Reproduction& entry) {
    if (!entry.unavailable.empty()) {
        throw Error(fmt::format("cannot be reproduced yet: {}", entry.unavailable), entry.name,
                    entry.published.empty()
                        ? "`cospadi reproduce` lists the labels that can be reproduced"
                        : fmt::format("`cospadi report --published {}` shows it as published",
                                      entry.published.front()));
    }
}

Reproduction availableReproduction(const std::string& word) {
    const std::vector<Reproduction> all = reproductions(resourcePath("reproduce"));
    const Reproduction* entry = findReproduction(all, word);
    if (entry == nullptr) {
        throw Error("is not one of the paper's labels", word, "`cospadi reproduce` lists them");
    }
    requireAvailable(*entry);
    return *entry;
}

ReproductionPlan planHere(const Reproduction& entry, ProtocolSize size, const std::string& model,
                          const std::string& device) {
    const Protocol& protocol = entry.protocol(size);
    if (protocol.sweep.grid.is_null()) {
        return {};
    }
    nlohmann::json grid = protocol.sweep.grid;
    grid["model"] = model;
    const RunStore store = RunStore::openForReading(storePath());
    return planReproduction(entry, protocol, planSweepHere(expandGrid(grid), store), store,
                            MeasuredRates::ofThisMachine(store, device),
                            ThreadPool::availableCores());
}

std::string tagOf(const Reproduction& entry, ProtocolSize size) {
    const std::string tag = "reproduce:" + entry.name;
    return size == ProtocolSize::Full ? tag : fmt::format("{}:{}", tag, name(size));
}

std::string modelNameOf(const ReproductionPlan& plan, const std::string& model) {
    const fs::path path =
        plan.runs.empty() ? fs::path(model) : fs::path(plan.runs.front().job.specification.model);
    return (path.extension() == ".gguf" ? path.stem() : path.filename()).string();
}

std::vector<ReproductionOutcome> outcomesSoFar(const ReproductionPlan& plan, const RunStore& store,
                                               const std::map<std::size_t, std::string>& why) {
    std::set<std::string> known;
    RunFilter all;
    all.includeArchived = true;
    for (const RunRow& row : store.list(all)) {
        known.insert(row.id);
    }
    std::vector<ReproductionOutcome> outcomes;
    for (const PlannedRun& run : plan.runs) {
        ReproductionOutcome outcome;
        outcome.job.state = run.job.state;
        const auto reason = why.find(outcomes.size());
        if (!run.refusal.empty()) {
            outcome.hole = "cannot start: " + run.refusal;
        } else if (run.job.state != JobState::Finished) {
            outcome.hole = "not made yet";
        } else {
            const std::string id = runIdIn(run.job.directory);
            outcome.job.run.directory = run.job.directory;
            outcome.job.run.id = known.contains(id) ? id : "";
            outcome.hole = outcome.job.run.id.empty() ? "not in the store: press F5"
                           : run.isDone()             ? ""
                                                      : "not measured yet";
        }
        outcome.hole = reason == why.end() || outcome.hole.empty() ? outcome.hole : reason->second;
        outcomes.push_back(std::move(outcome));
    }
    return outcomes;
}

std::string plannedState(const PlannedRun& run) {
    if (!run.refusal.empty()) {
        return "refused";
    }
    if (run.isMadeAgain) {
        return name(JobState::Incomplete);
    }
    return run.isSolved() && !run.isDone() ? "to evaluate" : name(run.job.state);
}

std::vector<Phrase> measuredPhrases(const Protocol& protocol) {
    const auto list = [](const auto& values) { return fmt::format("{}", fmt::join(values, ", ")); };
    std::vector<Phrase> phrases;
    const SweepEvaluation& evaluate = protocol.sweep.evaluate;
    if (!evaluate.text.empty()) {
        Phrase perplexity = Phrase{"perplexity of %1", {evaluate.text}};
        if (const auto tokens = evaluate.options.maxTokens; tokens > 0) {
            perplexity.more.push_back(Phrase{"first %1 tokens", {std::to_string(tokens)}});
        }
        phrases.push_back(std::move(perplexity));
    }
    if (const TaskPlan& tasks = protocol.tasks; !tasks.tasks.empty()) {
        Phrase asked{"%1",
                     {list(tasks.tasks)},
                     {tasks.limit > 0 ? Phrase{"%1 items each", {fmt::format("{:g}", tasks.limit)}}
                                      : Phrase{"all items"}}};
        if (tasks.shots) {
            asked.more.push_back(Phrase{"%1 shots", {std::to_string(*tasks.shots)}});
        }
        if (tasks.by == TasksBy::LmEval) {
            asked.more.push_back(Phrase{"asked by lm-eval"});
        }
        phrases.push_back(std::move(asked));
    }
    if (protocol.throughput) {
        const ThroughputStudy& study = *protocol.throughput;
        const std::string mode = name(study.mode);
        phrases.push_back(
            study.mode == ThroughputMode::Asynchronous
                ? Phrase{"%1 tokens/s at prompts of %2 with %3 users",
                         {mode, list(study.prompts), list(study.users)}}
                : Phrase{"%1 tokens/s at prompts of %2", {mode, list(study.prompts)}});
    }
    return phrases.empty() ? std::vector{Phrase{"its bytes"}} : phrases;
}

}  // namespace cospadi
