// `cospadi runs`: its verbs, a file each, and what they share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

void addRunsList(CLI::App& runs, Session& session);
void addRunsShow(CLI::App& runs, Session& session);
void addRunsMarks(CLI::App& runs, Session& session);  // tag, note, star, archive
void addRunsDiff(CLI::App& runs, Session& session);
void addRunsImport(CLI::App& runs, Session& session);
void addRunsExport(CLI::App& runs, Session& session);
void addRunsDelete(CLI::App& runs, Session& session);

// A verb that is about one run.
struct RunVerb {
    CLI::App* command;
    std::shared_ptr<std::string> run;  // as it was typed: RunStore::find() knows it
};
RunVerb addRunVerb(CLI::App& runs, const char* name, const char* help);

}  // namespace cospadi::cli
