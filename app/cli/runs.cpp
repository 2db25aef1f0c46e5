#include "app/cli/runs.h"

namespace cospadi::cli {

RunVerb addRunVerb(Command runs, const char* name, const char* help) {
    RunVerb verb{runs.addCommand(name, help), std::make_shared<std::string>()};
    verb.command.addOption("RUN", *verb.run, "Id, a beginning of it, or the run's directory")
        .required();
    return verb;
}

void addRuns(Command app, Session& session) {
    const Command command =
        app.addCommand("runs",
                       "Manage stored runs: list, show, diff, slice, tag, note, star, archive, "
                       "import, import-external, export, delete");
    command.requireCommand();
    addRunsList(command, session);
    addRunsShow(command, session);
    addRunsMarks(command, session);
    addRunsDiff(command, session);
    addRunsSlice(command, session);
    addRunsImport(command, session);
    addRunsImportExternal(command, session);
    addRunsExport(command, session);
    addRunsDelete(command, session);
}

}  // namespace cospadi::cli
