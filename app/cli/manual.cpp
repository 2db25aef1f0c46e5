// `cospadi manual` and `cospadi completion`: what the program knows of itself, for man and shells.
#include "app/cli/session.h"
#include "app/command_line/completion.h"
#include "app/command_line/manual_page.h"
#include "core/base/error.h"
#include "cospadi_version.h"

namespace cospadi::cli {

void addManual(Command app, Session& session) {
    const Command command =
        app.addCommand("manual", "Print the manual page; `cospadi manual | man -l -` displays it");
    finishCommand(command, session, [app, &session] {
        const std::string page =
            manualPage(app.description(), COSPADI_VERSION, "cospadi-workbench");
        session.printExactly(page, {{"page", page}});
        return kOk;
    });
}

void addCompletion(Command app, Session& session) {
    const Command command = app.addCommand(
        "completion", "Print a shell's completion script for commands, options and values");
    auto shell = std::make_shared<std::string>();
    command.addOption("SHELL", *shell, "The shell; for bash: `source <(cospadi completion bash)`")
        .oneOf(completionShells())
        .required();
    finishCommand(command, session, [app, shell, &session] {
        const std::string script = completionScript(*shell, app.description());
        session.printExactly(script, {{"shell", *shell}, {"script", script}});
        return kOk;
    });
}

}  // namespace cospadi::cli
