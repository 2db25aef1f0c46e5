#include "ui/models/job_table_model.h"

#include <QColor>
#include <QLocale>

#include "core/methods/method.h"
#include "ui/base/format.h"
#include "ui/base/status_words.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

JobTableModel::JobTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void JobTableModel::setJobs(const QList<Job>& jobs) {
    // Equal numbers of rows keep the selection: only the contents change then.
    if (jobs.size() == m_jobs.size()) {
        m_jobs = jobs;
        if (!jobs.isEmpty()) {
            emit dataChanged(index(0, 0),
                             index(static_cast<int>(jobs.size()) - 1, ColumnCount - 1));
        }
        return;
    }
    beginResetModel();
    m_jobs = jobs;
    endResetModel();
}

int JobTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

int JobTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString JobTableModel::text(const Job& job, int column) const {
    const RunSpecification& s = job.specification;
    const Method& method = methodOf(s);
    const QString& none = kMissing;
    const auto fixed = [](double value) { return QLocale().toString(value, 'f', 2); };
    switch (column) {
        case StateColumn:
            return statusWords(job.state);
        case MethodColumn:
            return method.uses("solver")
                       ? QStringLiteral("%1 (%2)").arg(QString::fromUtf8(method.name()),
                                                       QString::fromUtf8(name(s.solver)))
                       : QString::fromUtf8(method.name());
        case LayersColumn:
            return QString::fromStdString(s.layers);
        case CrColumn:
            return hasRatio(s) ? fixed(s.cr) : none;
        case RhoColumn:
            return !method.uses("rho") ? none : s.autoRho ? tr("auto") : fixed(s.rho);
        case IterationsColumn:
            return !method.uses("iterations") ? none
                   : s.iterations == 0        ? tr("default")
                                              : QString::number(s.iterations);
        case SeedColumn:
            return method.uses("seed") ? QString::number(s.seed) : none;
        case BytesColumn:
            return formatBytes(job.bytes);
        case TimeColumn:
            return job.seconds < 0 ? none
                   : job.state == QLatin1String("finished")
                       ? formatDuration(job.seconds)
                       : tr("≈ %1").arg(formatDuration(job.seconds));
        default:
            return {};
    }
}

QVariant JobTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_jobs.size()) {
        return {};
    }
    const Job& job = m_jobs[index.row()];
    switch (role) {
        case Qt::DisplayRole:
            return text(job, index.column());
        case Qt::ToolTipRole:
            return index.column() == LayersColumn ? text(job, LayersColumn) : QVariant();
        case Qt::TextAlignmentRole:
            return QVariant(index.column() >= CrColumn ? Qt::AlignRight | Qt::AlignVCenter
                                                       : Qt::AlignLeft | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (index.column() == StateColumn) {
                return job.state == QLatin1String("finished")  ? theme().good
                       : job.state == QLatin1String("failed")  ? theme().error
                       : job.state == QLatin1String("running") ? theme().accent
                                                               : theme().muted;
            }
            return {};
        default:
            return {};
    }
}

QVariant JobTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole) {
        return QVariant(section >= CrColumn ? Qt::AlignRight | Qt::AlignVCenter
                                            : Qt::AlignLeft | Qt::AlignVCenter);
    }
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    }
    const char* titles[] = {QT_TR_NOOP("State"), QT_TR_NOOP("Method"), QT_TR_NOOP("Layers"),
                            QT_TR_NOOP("CR"),    QT_TR_NOOP("ρ"),      QT_TR_NOOP("Iterations"),
                            QT_TR_NOOP("Seed"),  QT_TR_NOOP("Size"),   QT_TR_NOOP("Time")};
    return section >= 0 && section < ColumnCount ? tr(titles[section]) : QVariant();
}

}  // namespace cospadi::ui
