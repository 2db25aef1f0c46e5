#include "ui/models/matrix_table_model.h"

#include <QLocale>

#include "ui/base/format.h"
#include "ui/models/error_words.h"
#include "ui/models/fact_words.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

MatrixTableModel::MatrixTableModel(const RunTrace* trace, QObject* parent)
    : QAbstractTableModel(parent), m_trace(trace) {}

void MatrixTableModel::setTrace(const RunTrace* trace) {
    if (trace != m_trace) {
        beginResetModel();
        m_trace = trace;
        m_rows = static_cast<int>(trace->matrices().size());
        m_touched = 0;
        endResetModel();
    }
}

void MatrixTableModel::sync() {
    const int now = static_cast<int>(m_trace->matrices().size());
    if (now < m_rows) {
        beginResetModel();
        m_rows = now;
        m_touched = 0;
        endResetModel();
        return;
    }
    const int old = m_rows;
    if (now > old) {
        beginInsertRows({}, old, now - 1);
        m_rows = now;
        endInsertRows();
    }
    if (old > m_touched) {
        emit dataChanged(index(m_touched, 0), index(old - 1, ColumnCount - 1));
    }
    while (m_touched < m_rows && m_trace->matrices()[m_touched].finished) {
        ++m_touched;
    }
}

void MatrixTableModel::setColours(const QHash<QString, QColor>& colours) {
    if (colours != m_colours) {
        m_colours = colours;
        if (m_rows > 0) {
            emit dataChanged(index(0, 0), index(m_rows - 1, 0), {Qt::DecorationRole});
        }
    }
}

int MatrixTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_rows;
}

int MatrixTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant MatrixTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_trace->matrices().size()) {
        return {};
    }
    const MatrixTrace& matrix = m_trace->matrices()[index.row()];
    if (role == Qt::TextAlignmentRole) {
        return int(index.column() == NameColumn ? Qt::AlignLeft | Qt::AlignVCenter
                                                : Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::DecorationRole && index.column() == NameColumn) {
        const auto colour = m_colours.constFind(matrix.name);
        return swatch(colour == m_colours.constEnd() ? QColor(Qt::transparent) : *colour);
    }
    if (role == Qt::ToolTipRole) {
        // Integers of W, kept weights, dense and removed layers have neither atoms nor rank.
        const QString form =
            matrix.rank > 0 ? tr("rank %1").arg(matrix.rank)
            : matrix.k > 0
                ? tr("k = %1 atoms, s = %2 non-zeros per column").arg(matrix.k).arg(matrix.s)
                : factWords(matrix.facts);
        const QString d1 = formatCount(matrix.d1);
        const QString d2 = formatCount(matrix.d2);
        QString words = form.isEmpty() ? tr("%1 (%2 × %3)").arg(matrix.name, d1, d2)
                                       : tr("%1 (%2 × %3): %4").arg(matrix.name, d1, d2, form);
        if (matrix.finished) {
            words += QLatin1Char('\n') +
                     tr("%1 on disk, %2 as bf16")
                         .arg(formatBytes(matrix.bytes), formatBytes(matrix.denseBytes));
        }
        if (matrix.sourceBytes > 0) {
            words += tr(", %1 in the model's file (%2)")
                         .arg(formatBytes(matrix.sourceBytes), matrix.sourceType);
        }
        if (matrix.multiplications > 0) {
            words += QLatin1Char('\n') +
                     tr("%1 M multiplications per token, %2 M dense")
                         .arg(QLocale().toString(matrix.multiplications / 1e6, 'f', 3),
                              QLocale().toString(static_cast<double>(matrix.d1 * matrix.d2) / 1e6,
                                                 'f', 3));
        }
        if (matrix.activeAtoms > 0) {
            words += tr(", %1 atoms in use").arg(matrix.activeAtoms);
        }
        return words;
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
        case NameColumn:
            return matrix.name;
        case ErrorColumn:
            return matrix.latestError() < 0 ? kMissing : formatError(matrix.latestError());
        case DeadColumn:
            return matrix.usageEntropy < 0 ? kMissing : formatCount(matrix.deadAtoms);
        case SizeColumn:
            return matrix.finished     ? formatBytes(matrix.bytes)
                   : m_trace->isOver() ? tr("not finished")
                                       : tr("running");
        case TimeColumn:
            return matrix.seconds > 0 ? formatDuration(matrix.seconds) : kMissing;
        default:
            return {};
    }
}

QVariant MatrixTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    const QString titles[] = {tr("Matrix"), tr("Error"), tr("Dead"), tr("Size"), tr("Time")};
    const QString tips[] = {tr("Select rows to highlight their curves"),
                            errorHelp(m_trace == nullptr || m_trace->isWhitened()) +
                                tr("\nOf the stored factors once finished."),
                            tr("Atoms that no column uses"), tr("Bytes of the finished file"),
                            tr("Wall-clock time spent on this matrix")};
    if (role == Qt::DisplayRole) {
        return titles[section];
    }
    if (role == Qt::ToolTipRole) {
        return tips[section];
    }
    if (role == Qt::TextAlignmentRole) {
        return int(section == NameColumn ? Qt::AlignLeft | Qt::AlignVCenter
                                         : Qt::AlignRight | Qt::AlignVCenter);
    }
    return {};
}

}  // namespace cospadi::ui
