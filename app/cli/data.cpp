#include <fmt/format.h>

#include "app/cli/result_json.h"
#include "app/cli/session.h"
#include "core/lm_eval/task_data.h"

namespace cospadi::cli {

namespace {

int fetch(const Session& session, const FetchOptions& options) {
    const auto step = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
    const auto fetched = fetchTaskData(options, step, session.signals.token());
    std::string text;
    for (const FetchedData& one : fetched) {
        text += fmt::format("{:<18}{:>8} items  {}\n", one.task, one.items, one.file.string());
    }
    session.print(text, fetchedDataJson(fetched));
    return kOk;
}

}  // namespace

void addData(Command app, Session& session) {
    const Command command = app.addCommand("data", "Data sets of tasks");
    const Command fetcher = command.addCommand(
        "fetch", "Download data sets once, for `evaluate --tasks` and `lm-eval` without --data");
    auto options = std::make_shared<FetchOptions>();
    fetcher.addOption("TASK", options->tasks, "piqa, hellaswag, mmlu, … [all known ones]");
    fetcher
        .addOption("--from", options->mirror,
                   "Folder with the data sets laid out as on the hub, OWNER/NAME [the hub]")
        .existingDirectory();
    command.requireCommand();
    finishCommand(fetcher, session, [&session, options] { return fetch(session, *options); });
}

}  // namespace cospadi::cli
