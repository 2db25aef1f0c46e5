// `cospadi runs delete`: a run out of the index, and its files where that is asked for.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "app/cli/runs.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/store/locations.h"
#include "core/store/run_deletion.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

// Files that are deleted do not come back: the whole name must have been given, or a yes.
void requireConfirmed(const RunRow& run, const std::string& word,
                      const std::filesystem::path& directory) {
    std::error_code failed;
    if (word == run.id || std::filesystem::equivalent(word, directory, failed)) {
        return;
    }
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) {
        throw Error("is only the beginning of an id, but files would be deleted", word,
                    "give the whole id, " + run.id + ", or add --yes");
    }
    fmt::print(stderr, "Delete {} and its files in {}? [y/N] ", run.id,
               printableLine(directory.string()));
    std::string answer;
    std::getline(std::cin, answer);
    if (answer != "y" && answer != "Y" && answer != "yes") {
        throw Error("nothing was deleted", run.id, "answer y to delete it");
    }
}

int removeRun(const Session& session, const std::string& word, bool files, bool yes) {
    RunStore store = RunStore::open(storePath());
    const RunRow run = store.find(word);
    if (files) {
        const std::filesystem::path directory = store.directoryOf(run.id);
        if (!yes) {
            requireConfirmed(run, word, directory);
        }
        deleteRunWithFiles(store, run.id);
    } else {
        store.remove(run.id);
    }
    session.print(fmt::format("{} removed from the index{}\n", run.id,
                              files ? ", its files deleted" : "; its files are kept"),
                  {{"removed", run.id}, {"files", files}});
    return kOk;
}

}  // namespace

void addRunsDelete(Command runs, Session& session) {
    auto files = std::make_shared<bool>(false);
    auto yes = std::make_shared<bool>(false);
    const RunVerb verb = addRunVerb(runs, "delete", "Remove a run from the index");
    verb.command.addFlag("--files", *files, "Also delete its directory");
    verb.command.addFlag("--yes", *yes,
                         "With --files: do not ask when only the beginning of an id is given");
    finishCommand(verb.command, session, [&session, word = verb.run, files, yes] {
        return removeRun(session, *word, *files, *yes);
    });
}

}  // namespace cospadi::cli
