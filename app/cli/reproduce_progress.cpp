#include "app/cli/reproduce_progress.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/mean_error_text.h"
#include "core/base/printable_text.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

}  // namespace

ReproductionProgress::ReproductionProgress(const ReproductionPlan& plan,
                                           std::vector<std::string> tags, const Session& session)
    : m_plan(plan), m_tags(std::move(tags)), m_left(plan.secondsLeft()) {
    m_options.sweep.execution.writeModel = false;
    m_options.sweep.execution.onEvent = [this](const json& event) {
        showAndIndex(m_progress, event, m_tags);
    };
    m_options.sweep.evaluationProgress = session.progress(m_line);
    m_options.sweep.evaluationNote = [this](const std::string& note) {
        if (m_notes.insert(note).second) {  // the same of every run
            m_line.clear();
            fmt::print(stderr, "{}\n", printableLine(note));
        }
    };
    m_options.onStart = [this](std::size_t run) { start(run); };
    m_options.onRecorded = [this](std::size_t, const std::filesystem::path& directory) {
        indexOrWarn(directory, m_tags);
    };
    m_options.onFinish = [this](std::size_t run, const JobOutcome& outcome,
                                const std::string& hole) { finish(run, outcome, hole); };
}

void ReproductionProgress::start(std::size_t number) {
    const PlannedRun& run = m_plan.runs[number];
    m_watch = Stopwatch();
    if (run.isDone()) {
        return;
    }
    fmt::print(stderr, "[{}/{}] {}: about {}; in total about {} left{}\n", number + 1,
               m_plan.runs.size(), printableLine(run.description),
               humanSeconds(m_pace * run.secondsLeft()), humanSeconds(m_pace * m_left),
               m_plan.untimed() > 0 ? ", not counting lm-eval" : "");
}

void ReproductionProgress::finish(std::size_t number, const JobOutcome& outcome,
                                  const std::string& hole) {
    m_progress.clear();
    m_line.clear();
    const PlannedRun& run = m_plan.runs[number];
    m_left -= run.secondsLeft();
    if (!run.isDone() && run.refusal.empty() && run.untimed.empty()) {
        m_predicted += run.secondsLeft();
        m_taken += m_watch.seconds();
        m_pace = m_predicted > 0 ? m_taken / m_predicted : 1;
    }
    if (!hole.empty()) {
        fmt::print(stderr, "      {}\n", printableLine(hole));
    } else if (!run.isDone()) {
        fmt::print(
            stderr, "      {}{}{}, {}\n", outcome.skipped ? "done earlier: " : "",
            meanErrorText(outcome.run.relativeError),
            outcome.perplexity ? fmt::format(", perplexity {:.3f}", *outcome.perplexity) : "",
            humanSeconds(m_watch.seconds()));
    }
}

}  // namespace cospadi::cli
