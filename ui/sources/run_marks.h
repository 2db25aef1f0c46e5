// What a user does to runs in the store: stars, archive marks, tags and notes; deletes them. Each
// call opens the store, writes and closes it: for a pool thread. Errors: cospadi::Error.
#pragma once

#include <QString>
#include <QStringList>

namespace cospadi::ui {

void writeStars(const QStringList& runs, bool starred);
void writeArchiveMarks(const QStringList& runs, bool archived);
// Of a run that may not be in the index yet, and is taken in then.
void writeTagOfDirectory(const QString& directory, const QString& tag);
void writeTag(const QStringList& runs, const QString& tag);
// The run has these tags then, and no others.
void writeTags(const QString& run, const QStringList& tags);
// With their files; those before one that cannot be deleted are gone.
void deleteRuns(const QStringList& runs);
// Beside the run's earlier notes, which are kept.
void writeNote(const QStringList& runs, const QString& text);

}  // namespace cospadi::ui
