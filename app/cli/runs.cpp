#include "app/cli/runs.h"

namespace cospadi::cli {

RunVerb addRunVerb(CLI::App& runs, const char* name, const char* help) {
    const RunVerb verb{runs.add_subcommand(name, help), std::make_shared<std::string>()};
    verb.command->add_option("RUN", *verb.run, "Id, a beginning of it, or the run's directory")
        ->required();
    return verb;
}

void addRuns(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand(
        "runs",
        "The stored runs: list, show, diff, tag, note, star, archive, import, export, delete");
    command->require_subcommand(1);
    addRunsList(*command, session);
    addRunsShow(*command, session);
    addRunsMarks(*command, session);
    addRunsDiff(*command, session);
    addRunsImport(*command, session);
    addRunsExport(*command, session);
    addRunsDelete(*command, session);
}

}  // namespace cospadi::cli
