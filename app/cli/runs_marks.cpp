// `cospadi runs tag`, `note`, `star` and `archive`: what a user writes to a run.
#include <fmt/format.h>

#include "app/cli/runs.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

// A change to one run, told in a word: `done`, or `undone` where --remove is given.
template <class Act>
void finish(const RunVerb& verb, Session& session, const std::shared_ptr<bool>& remove,
            const char* done, const char* undone, Act act) {
    finishCommand(verb.command, session, [&session, word = verb.run, remove, done, undone, act] {
        RunStore store = RunStore::open(storePath());
        const std::string run = store.find(*word).id;
        act(store, run);
        const char* told = *remove ? undone : done;
        session.print(fmt::format("{} {}\n", told, run), {{"run", run}, {"done", told}});
        return static_cast<int>(kOk);
    });
}

}  // namespace

void addRunsMarks(Command runs, Session& session) {
    auto text = std::make_shared<std::string>();
    auto remove = std::make_shared<bool>(false);
    const RunVerb tag = addRunVerb(runs, "tag", "Tag a run");
    tag.command.addOption("TAG", *text, "The tag").required();
    tag.command.addFlag("--remove", *remove, "Remove the tag");
    finish(tag, session, remove, "tagged", "untagged",
           [text, remove](RunStore& store, const std::string& run) {
               *remove ? store.untag(run, *text) : store.tag(run, *text);
           });

    const RunVerb note = addRunVerb(runs, "note", "Add a note to a run");
    note.command.addOption("TEXT", *text, "The note").required();
    finish(note, session, remove, "noted", "noted",
           [text](RunStore& store, const std::string& run) { store.note(run, *text); });

    const RunVerb star = addRunVerb(runs, "star", "Star a run");
    star.command.addFlag("--remove", *remove, "Remove the star");
    finish(star, session, remove, "starred", "unstarred",
           [remove](RunStore& store, const std::string& run) { store.star(run, !*remove); });

    const RunVerb archive = addRunVerb(runs, "archive", "Hide a run from lists and reports");
    archive.command.addFlag("--remove", *remove, "Show it again");
    finish(archive, session, remove, "archived", "unarchived",
           [remove](RunStore& store, const std::string& run) { store.archive(run, !*remove); });
}

}  // namespace cospadi::cli
