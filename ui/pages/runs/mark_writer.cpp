#include "ui/pages/runs/mark_writer.h"

#include <algorithm>
#include <utility>

#include "core/store/run_condition.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"
#include "ui/sources/run_marks.h"

namespace cospadi::ui {

MarkWriter::MarkWriter(RunsTableModel* runs, QObject* parent) : QObject(parent), m_runs(runs) {
    connect(&m_writes, &OrderedWork::oneDone, this, &MarkWriter::written);
    connect(&m_writes, &OrderedWork::allDone, this, [this] {
        if (std::exchange(m_shownMeanwhile, false)) {
            emit outdated();
        }
    });
    connect(&m_writes, &OrderedWork::failed, this, &MarkWriter::failed);
}

void MarkWriter::star(const QStringList& runs, bool starred) {
    mark(
        runs, [starred](RunRow& run) { run.starred = starred; },
        [runs, starred] { writeStars(runs, starred); });
}

void MarkWriter::archive(const QStringList& runs, bool archived) {
    mark(
        runs, [archived](RunRow& run) { run.archived = archived; },
        [runs, archived] { writeArchiveMarks(runs, archived); });
}

void MarkWriter::addTag(const QStringList& runs, const QString& tag) {
    const auto add = [name = tag.toStdString()](RunRow& run) {
        if (std::find(run.tags.begin(), run.tags.end(), name) == run.tags.end()) {
            run.tags.push_back(name);
            std::sort(run.tags.begin(), run.tags.end());
        }
    };
    mark(runs, add, [runs, tag] { writeTag(runs, tag); });
}

void MarkWriter::replaceTags(const QString& run, const QStringList& tags) {
    const auto replace = [tags](RunRow& row) {
        row.tags.clear();
        for (const QString& tag : tags) {
            row.tags.push_back(tag.toStdString());
        }
    };
    mark({run}, replace, [run, tags] { writeTags(run, tags); });
}

void MarkWriter::setName(const RunRow& run, const QString& name) {
    QStringList tags;
    for (const std::string& tag : run.tags) {
        if (!tag.starts_with(kNameTag)) {
            tags << QString::fromStdString(tag);
        }
    }
    if (!name.isEmpty()) {
        tags << QLatin1String(kNameTag) + name;
    }
    replaceTags(QString::fromStdString(run.id), tags);
}

void MarkWriter::setNote(const QStringList& runs, const QString& text) {
    mark(
        runs, [note = text.toStdString()](RunRow& run) { run.note = note; },
        [runs, text] { writeNote(runs, text); });
}

void MarkWriter::addToSweep(const QString& directory, const QString& sweep) {
    m_shownMeanwhile = true;  // read again when it is done
    m_writes.append([directory, tag = kSweepTag + sweep] { writeTagOfDirectory(directory, tag); });
}

// After the marks that wait: one of a run that is gone would be an error.
void MarkWriter::deleteRuns(const QStringList& runs) {
    m_shownMeanwhile = true;  // read again when it is done
    m_writes.append([runs] { cospadi::ui::deleteRuns(runs); });
}

void MarkWriter::mark(const QStringList& runs, const std::function<void(RunRow&)>& change,
                      const std::function<void()>& write) {
    const std::vector<RunRow> known = m_runs->runs();
    for (RunRow run : known) {
        if (runs.contains(QString::fromStdString(run.id))) {
            change(run);
            m_runs->setMarks(run);
        }
    }
    emit marked();
    m_writes.append(write);
}

}  // namespace cospadi::ui
