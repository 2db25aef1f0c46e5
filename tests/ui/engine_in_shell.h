// Engines in shell, for tests of what the window makes of an engine's lines.
#pragma once

#include <QString>
#include <csignal>

#include "ui/engine/engine_client.h"

namespace cospadi::ui {

// Answers hello, which is the first request of a new client, and then runs `script`.
inline void useScript(EngineClient& client, const QString& script) {
    client.setProgram(
        "/bin/sh",
        {"-c", "read -r line; echo '{\"id\":1,\"result\":{\"version\":\"9\"}}'\n" + script});
}

// Hears everything, says nothing.
inline const QString kSilence = "cat > /dev/null";

// Every compress is answered with a run that is finished at once.
inline const QString kFinishesAtOnce =
    "while read -r line; do id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); "
    "echo "
    "\"{\\\"id\\\":$id,\\\"result\\\":{\\\"run\\\":\\\"r$id\\\",\\\"directory\\\":\\\"/tmp/"
    "r\\\"}}\"; "
    "echo \"{\\\"event\\\":\\\"run_finished\\\",\\\"request\\\":$id,\\\"run\\\":\\\"r$id\\\","
    "\\\"status\\\":\\\"finished\\\"}\"; done";

// False where it does not run.
inline bool killEngine(const EngineClient& client) {
    return client.processId() > 0 && ::kill(static_cast<pid_t>(client.processId()), SIGKILL) == 0;
}

}  // namespace cospadi::ui
