#include "ui/models/cluster_job_model.h"

#include <QColor>
#include <QLocale>
#include <cmath>

#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

bool isNumber(int column) {
    return column == ClusterJobModel::MatricesColumn || column == ClusterJobModel::PerplexityColumn;
}

}  // namespace

ClusterJobModel::ClusterJobModel(QObject* parent) : QAbstractTableModel(parent) {}

void ClusterJobModel::setJobs(const QList<ClusterJob>& jobs) {
    // Equal numbers of rows keep the selection: only the contents change then.
    if (jobs.size() == m_jobs.size()) {
        m_jobs = jobs;
        if (!jobs.isEmpty()) {
            emit dataChanged(index(0, 0), index(static_cast<int>(jobs.size()) - 1, Columns - 1));
        }
        return;
    }
    beginResetModel();
    m_jobs = jobs;
    endResetModel();
}

int ClusterJobModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int ClusterJobModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(Columns);
}

QString ClusterJobModel::text(const ClusterJob& job, int column) const {
    switch (column) {
        case StateColumn:
            return job.state == QLatin1String("done")      ? tr("done")
                   : job.state == QLatin1String("running") ? tr("running")
                   : job.state == QLatin1String("waiting") ? tr("waiting")
                   : job.state == QLatin1String("failed")  ? tr("failed")
                   : job.state == QLatin1String("lost")    ? tr("lost")
                                                           : job.state;
        case TitleColumn:
            return job.title;
        case MatricesColumn:
            return job.state == QLatin1String("done") || job.matrices == 0
                       ? kMissing
                       : QLocale().toString(job.matrices);
        case PerplexityColumn:
            return std::isnan(job.perplexity) ? kMissing
                                              : QLocale().toString(job.perplexity, 'f', 2);
        case WordsColumn: {
            QStringList words;
            for (const QString& part : {job.process, job.reason}) {
                words << (part.isEmpty() ? QStringList() : QStringList{part});
            }
            return words.join(QStringLiteral(": "));
        }
        default:
            return {};
    }
}

QVariant ClusterJobModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_jobs.size()) {
        return {};
    }
    const ClusterJob& job = m_jobs[index.row()];
    switch (role) {
        case Qt::DisplayRole:
            return text(job, index.column());
        case Qt::ToolTipRole:
            return index.column() == WordsColumn || index.column() == TitleColumn
                       ? text(job, index.column())
                       : QVariant();
        case Qt::TextAlignmentRole:
            return QVariant((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) |
                            Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (index.column() == StateColumn) {
                return job.state == QLatin1String("done")      ? theme().good
                       : job.state == QLatin1String("running") ? theme().accent
                       : job.state == QLatin1String("waiting") ? theme().muted
                                                               : theme().error;
            }
            return {};
        default:
            return {};
    }
}

QVariant ClusterJobModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole) {
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    }
    const char* titles[] = {QT_TR_NOOP("State"), QT_TR_NOOP("Run"), QT_TR_NOOP("Matrices"),
                            QT_TR_NOOP("Perplexity"), QT_TR_NOOP("Process and reason")};
    return section >= 0 && section < Columns ? tr(titles[section]) : QVariant();
}

}  // namespace cospadi::ui
