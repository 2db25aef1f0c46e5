// `cospadi runs`: its verbs, a file each, and what they share.
#pragma once

#include <memory>
#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

void addRunsList(Command runs, Session& session);
void addRunsShow(Command runs, Session& session);
void addRunsMarks(Command runs, Session& session);  // tag, note, star, archive
void addRunsDiff(Command runs, Session& session);
void addRunsSlice(Command runs, Session& session);
void addRunsImport(Command runs, Session& session);
void addRunsImportExternal(Command runs, Session& session);
void addRunsExport(Command runs, Session& session);
void addRunsDelete(Command runs, Session& session);

// A verb that is about one run.
struct RunVerb {
    Command command;
    std::shared_ptr<std::string> run;  // as it was typed: RunStore::find() knows it
};
RunVerb addRunVerb(Command runs, const char* name, const char* help);

}  // namespace cospadi::cli
