#include "ui/sources/run_marks.h"

#include "core/store/locations.h"
#include "core/store/run_deletion.h"
#include "core/store/run_store.h"

namespace cospadi::ui {

namespace {

template <typename Write>
void writeEach(const QStringList& runs, Write write) {
    RunStore store = RunStore::open(storePath());
    for (const QString& run : runs) {
        write(store, run.toStdString());
    }
}

}  // namespace

void writeStars(const QStringList& runs, bool starred) {
    writeEach(runs,
              [starred](RunStore& store, const std::string& run) { store.star(run, starred); });
}

void writeArchiveMarks(const QStringList& runs, bool archived) {
    writeEach(runs, [archived](RunStore& store, const std::string& run) {
        store.archive(run, archived);
    });
}

void writeTag(const QStringList& runs, const QString& tag) {
    writeEach(runs, [&tag](RunStore& store, const std::string& run) {
        store.tag(run, tag.toStdString());
    });
}

void writeTagOfDirectory(const QString& directory, const QString& tag) {
    RunStore store = RunStore::open(storePath());
    store.tag(store.importRun(directory.toStdString()), tag.toStdString());
}

void writeTags(const QString& run, const QStringList& tags) {
    RunStore store = RunStore::open(storePath());
    const std::string id = run.toStdString();
    for (const std::string& tag : store.find(id).tags) {
        if (!tags.contains(QString::fromStdString(tag))) {
            store.untag(id, tag);
        }
    }
    for (const QString& tag : tags) {
        store.tag(id, tag.toStdString());
    }
}

void deleteRuns(const QStringList& runs) {
    writeEach(runs,
              [](RunStore& store, const std::string& run) { deleteRunWithFiles(store, run); });
}

void writeNote(const QStringList& runs, const QString& text) {
    writeEach(runs, [&text](RunStore& store, const std::string& run) {
        store.note(run, text.toStdString());
    });
}

}  // namespace cospadi::ui
