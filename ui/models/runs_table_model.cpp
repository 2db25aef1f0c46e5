#include "ui/models/runs_table_model.h"

#include <QDateTime>
#include <QLocale>
#include <cmath>

#include "core/report/report.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

QString decimals(double value, int count) {
    return std::isfinite(value) ? QLocale().toString(value, 'f', count) : QStringLiteral("–");
}

bool isSparse(const RunRow& run) { return run.method.rfind("cospadi", 0) == 0; }

}  // namespace

double perplexityOf(const RunRow& run) {
    const EvaluationRow* latest = nullptr;
    for (const EvaluationRow& evaluation : run.evaluations) {
        if (evaluation.kind == "perplexity" &&
            (latest == nullptr || latest->created < evaluation.created)) {
            latest = &evaluation;
        }
    }
    return latest == nullptr ? unknownNumber : latest->perplexity;
}

RunsTableModel::RunsTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsTableModel::setRuns(std::vector<RunRow> runs) {
    beginResetModel();
    m_runs = std::move(runs);
    m_methods.clear();
    for (const RunRow& run : m_runs) {
        m_methods.push_back(QString::fromStdString(methodLabel(run)));
    }
    endResetModel();
}

int RunsTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunsTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant RunsTableModel::sortValue(int row, int column) const {
    const RunRow& run = this->run(row);
    const auto number = [](double value) {
        // Unknown numbers sort last.
        return QVariant(std::isfinite(value) ? value : HUGE_VAL);
    };
    switch (column) {
        case CrColumn:
            return number(run.cr);
        case RhoColumn:
            return number(isSparse(run) ? run.rho : unknownNumber);
        case BytesColumn:
            return QVariant(static_cast<qlonglong>(run.layerBytes));
        case RatioColumn:
            return number(run.measuredRatio());
        case ErrorColumn:
            return number(run.relativeError);
        case PerplexityColumn:
            return number(perplexityOf(run));
        case SecondsColumn:
            return number(run.seconds);
        case DateColumn:
            return QString::fromStdString(run.created);
        default:
            return displayText(row, column);
    }
}

QString RunsTableModel::displayText(int row, int column) const {
    const RunRow& run = this->run(row);
    switch (column) {
        case NameColumn:
            return QString::fromStdString(run.id);
        case StatusColumn:
            return QString::fromStdString(run.status);
        case MethodColumn:
            return m_methods[static_cast<std::size_t>(row)];
        case LayersColumn:
            return QStringLiteral("%1  (%2)")
                .arg(QString::fromStdString(run.layers))
                .arg(run.matrices);
        case CrColumn:
            return decimals(run.cr, 2);
        case RhoColumn:
            return isSparse(run) ? decimals(run.rho, 2) : QStringLiteral("–");
        case BytesColumn:
            return formatBytes(static_cast<double>(run.layerBytes));
        case RatioColumn:
            return formatPercent(run.measuredRatio());
        case ErrorColumn:
            return formatError(run.relativeError);
        case PerplexityColumn:
            return decimals(perplexityOf(run), 2);
        case SecondsColumn:
            return formatDuration(run.seconds);
        case DateColumn: {
            const QDateTime time =
                QDateTime::fromString(QString::fromStdString(run.created), Qt::ISODate);
            return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm"))
                                  : QString::fromStdString(run.created);
        }
        default:
            return {};
    }
}

QVariant RunsTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const RunRow& row = run(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return displayText(index.row(), index.column());
        case SortRole:
            return sortValue(index.row(), index.column());
        case IdRole:
            return QString::fromStdString(row.id);
        case Qt::ToolTipRole:
            if (index.column() == StatusColumn && !row.message.empty()) {
                return QString::fromStdString(row.message);
            }
            return displayText(index.row(), index.column());
        case Qt::TextAlignmentRole:
            return int((index.column() >= CrColumn && index.column() <= SecondsColumn
                            ? Qt::AlignRight
                            : Qt::AlignLeft) |
                       Qt::AlignVCenter);
        case Qt::ForegroundRole:
            if (index.column() == StatusColumn) {
                return row.status == "finished" ? theme().good
                       : row.status == "failed" ? theme().error
                                                : theme().warning;
            }
            return {};
        default:
            return {};
    }
}

QVariant RunsTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    const QString titles[] = {tr("Run"),   tr("Status"), tr("Method"), tr("Layers"),
                              tr("CR"),    tr("ρ"),      tr("Bytes"),  tr("Saved"),
                              tr("Error"), tr("Perpl."), tr("Time"),   tr("Date")};
    const QString tips[] = {
        tr("Name of the run's directory"),
        tr("finished, or why not: interrupted and cancelled runs can be resumed"),
        tr("Compression method, and its solver where it learns a dictionary"),
        tr("Regular expression of the layers (number of finished matrices)"),
        tr("Compression ratio γ asked for: the fraction of storage to remove"),
        tr("ρ = k/s: atoms per non-zero of a column"),
        tr("Bytes of the compressed matrices on disk, mask included"),
        tr("Fraction of storage removed as measured: 1 − bytes / dense bytes (bf16)"),
        tr("Mean over matrices of the whitened relative error ‖L W − D S‖ / ‖L W‖"),
        tr("Perplexity, where measured (lower is better)"),
        tr("Wall-clock time of the run"),
        tr("When the run was created")};
    if (role == Qt::DisplayRole) {
        return titles[section];
    }
    if (role == Qt::ToolTipRole) {
        return tips[section];
    }
    if (role == Qt::TextAlignmentRole) {
        return int(
            (section >= CrColumn && section <= SecondsColumn ? Qt::AlignRight : Qt::AlignLeft) |
            Qt::AlignVCenter);
    }
    return {};
}

}  // namespace cospadi::ui
