#include "ui/models/reproduction_plan_model.h"

#include <utility>

#include "core/reproduce/plan_here.h"
#include "ui/base/format.h"
#include "ui/base/status_words.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

QString timeText(double seconds, bool isMeasured) {
    return seconds <= 0
               ? kMissing
               : QStringLiteral("%1 %2").arg(isMeasured ? QStringLiteral("≈") : QStringLiteral("~"),
                                             formatDuration(seconds));
}

Qt::Alignment sideOf(int column) {
    return (column >= ReproductionPlanModel::MatricesColumn ? Qt::AlignRight : Qt::AlignLeft) |
           Qt::AlignVCenter;
}

}  // namespace

ReproductionPlanModel::ReproductionPlanModel(QObject* parent) : QAbstractTableModel(parent) {}

void ReproductionPlanModel::setPlan(ReproductionPlan plan) {
    beginResetModel();
    m_plan = std::move(plan);
    m_states.clear();
    m_holes.clear();
    endResetModel();
}

void ReproductionPlanModel::setStates(const QMap<int, QString>& states,
                                      const QMap<int, QString>& holes) {
    m_states = states;
    m_holes = holes;
    if (rowCount() > 0) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

QString ReproductionPlanModel::summary() const {
    const int runs = rowCount();
    if (runs == 0) {
        return tr("It needs no runs.");
    }
    if (m_plan.missing() == 0) {
        return tr("Nothing is missing: %n run(s), made and measured.", nullptr, runs);
    }
    const QString left =
        m_plan.isMeasured
            ? tr("%1 of %n run(s) missing. Left to do: %2 on disk, at most %3 of memory, about %4.",
                 nullptr, runs)
            : tr("%1 of %n run(s) missing. Left to do: %2 on disk, at most %3 of memory, ~ %4. "
                 "Nothing comparable has run here yet: ~ is based on an assumed computing rate.",
                 nullptr, runs);
    const QString told =
        left.arg(m_plan.missing())
            .arg(formatBytes(m_plan.bytesLeft()), formatBytes(m_plan.memoryBytes()),
                 formatDuration(m_plan.secondsLeft()));
    return m_plan.untimed() == 0
               ? told
               : told + QLatin1Char(' ') +
                     tr("How long lm-eval takes for %n run(s) is not known in advance.", nullptr,
                        static_cast<int>(m_plan.untimed()));
}

int ReproductionPlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_plan.runs.size());
}

int ReproductionPlanModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QString ReproductionPlanModel::state(int row) const {
    return m_states.value(
        row, QString::fromStdString(plannedState(m_plan.runs[static_cast<std::size_t>(row)])));
}

QString ReproductionPlanModel::text(int row, int column) const {
    const PlannedRun& run = m_plan.runs[static_cast<std::size_t>(row)];
    if (column == StateColumn) {
        const QString word = state(row);
        return m_holes.contains(row)                  ? tr("missing")
               : word == QLatin1String("new")         ? tr("to make")
               : word == QLatin1String("to evaluate") ? tr("to measure")
               : word == QLatin1String("incomplete")  ? tr("to make again")
                                                      : statusWords(word);
    }
    if (column == RunColumn) {
        return QString::fromStdString(run.description);
    }
    if (!run.refusal.empty()) {
        return kMissing;
    }
    switch (column) {
        case MatricesColumn:
            return QString::number(run.estimate.matrices);
        case BytesColumn:
            return formatBytes(run.estimate.bytes);
        case MemoryColumn:
            return formatBytes(run.estimate.memoryBytes);
        case CompressColumn:
            return run.isSolved() ? kMissing
                                  : timeText(run.estimate.seconds + run.estimate.calibrationSeconds,
                                             run.estimate.measured);
        case MeasureColumn:
            return run.untimed.empty() ? timeText(run.evaluationSeconds, true)
                   : run.evaluationSeconds > 0
                       ? QStringLiteral("%1 + ?").arg(timeText(run.evaluationSeconds, true))
                       : QStringLiteral("?");
        default:
            return {};
    }
}

QVariant ReproductionPlanModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const PlannedRun& run = m_plan.runs[static_cast<std::size_t>(index.row())];
    const QString word = state(index.row());
    const bool isMissing = m_holes.contains(index.row()) || !run.refusal.empty();
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), index.column());
        case Qt::ToolTipRole:
            return isMissing ? m_holes.value(index.row(), QString::fromStdString(run.refusal))
                             : text(index.row(), RunColumn);
        case Qt::TextAlignmentRole:
            return QVariant(sideOf(index.column()));
        case Qt::ForegroundRole:
            if (index.column() == StateColumn) {
                return isMissing                           ? theme().error
                       : word == QLatin1String("running")  ? theme().accent
                       : word == QLatin1String("finished") ? theme().good
                                                           : theme().muted;
            }
            return {};
        default:
            return {};
    }
}

QVariant ReproductionPlanModel::headerData(int section, Qt::Orientation orientation,
                                           int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant(sideOf(section));
    }
    const QString titles[] = {tr("State"),  tr("Run"),      tr("Matrices"), tr("Size"),
                              tr("Memory"), tr("Compress"), tr("Measure")};
    return role == Qt::DisplayRole ? QVariant(titles[section]) : QVariant();
}

}  // namespace cospadi::ui
