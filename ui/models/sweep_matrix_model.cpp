#include "ui/models/sweep_matrix_model.h"

#include <QColor>
#include <QFont>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/format.h"
#include "ui/base/quantity_words.h"
#include "ui/base/status_words.h"
#include "ui/base/theme.h"
#include "ui/models/run_looks.h"

namespace cospadi::ui {

namespace {

QString wordsOf(const RunRow& run) {
    return run.status == "running" ? SweepMatrixModel::tr("running …")
                                   : statusWords(QString::fromStdString(run.status));
}

// As the list of runs writes it.
QString cellValueWords(const QString& metric, double value) {
    return !std::isfinite(value)                ? kMissing
           : metric == QLatin1String("bytes")   ? formatBytes(value)
           : metric == QLatin1String("seconds") ? formatDuration(value)
                                                : formatNumber(value);
}

QColor statusColour(const std::string& status) {
    return status == "finished"                               ? theme().text
           : status == "running" || status == "paused"        ? theme().accent
           : status == "failed"                               ? theme().error
           : status == "interrupted" || status == "cancelled" ? theme().warning
                                                              : theme().muted;
}

}  // namespace

SweepMatrixModel::SweepMatrixModel(QObject* parent) : QAbstractTableModel(parent) {}

void SweepMatrixModel::setMatrix(SweepMatrix matrix, const QString& metric) {
    const bool isSameShape = matrix.rowNames == m_matrix.rowNames &&
                             matrix.columnNames == m_matrix.columnNames && !matrix.cells.empty();
    if (!isSameShape) {
        beginResetModel();
    }
    m_matrix = std::move(matrix);
    m_metric = metric;
    if (!isSameShape) {
        endResetModel();
    } else {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int SweepMatrixModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_matrix.rowNames.size());
}

int SweepMatrixModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_matrix.columnNames.size());
}

const SweepCell& SweepMatrixModel::cell(const QModelIndex& index) const {
    return m_matrix.at(static_cast<std::size_t>(index.row()),
                       static_cast<std::size_t>(index.column()));
}

QString SweepMatrixModel::text(const SweepCell& cell) const {
    if (cell.run.status.empty()) {
        return kMissing;
    }
    if (cell.run.status != "finished" || m_metric == kStatusMetric) {
        return wordsOf(cell.run);
    }
    return cellValueWords(m_metric, cell.value);
}

bool SweepMatrixModel::isBest(const SweepCell& cell) const {
    if (m_metric == kStatusMetric || m_matrix.best == BestValue::None ||
        !std::isfinite(cell.value)) {
        return false;
    }
    return std::none_of(m_matrix.cells.begin(), m_matrix.cells.end(), [&](const SweepCell& other) {
        return m_matrix.best == BestValue::Lowest ? other.value < cell.value
                                                  : other.value > cell.value;
    });
}

QString SweepMatrixModel::toolTip(const QModelIndex& index) const {
    const RunRow& run = cell(index).run;
    QStringList place{headerData(index.row(), Qt::Vertical).toString(),
                      headerData(index.column(), Qt::Horizontal).toString()};
    place.removeAll(QString());  // a row that nothing else differs in has no name
    QString words = place.join(QStringLiteral(", "));
    if (run.status.empty()) {
        return tr("%1: no run with these settings").arg(words);
    }
    words += QStringLiteral(": ") + wordsOf(run);
    if (std::isfinite(cell(index).value)) {
        words +=
            tr(", %1 %2").arg(quantityWords(m_metric), cellValueWords(m_metric, cell(index).value));
    } else if (run.status == "finished" && m_metric != kStatusMetric) {
        words += tr(", %1 not measured").arg(quantityWords(m_metric));
    }
    if (!run.message.empty()) {
        words += QLatin1Char('\n') + QString::fromStdString(run.message);
    }
    return run.id.empty() ? words : words + QLatin1Char('\n') + QString::fromStdString(run.id);
}

QVariant SweepMatrixModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const SweepCell& shown = cell(index);
    switch (role) {
        case Qt::DisplayRole:
            return text(shown);
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return toolTip(index);
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignCenter);
        case Qt::ForegroundRole:
            return shown.run.status == "finished" && !std::isfinite(shown.value) &&
                           m_metric != kStatusMetric
                       ? theme().muted
                       : statusColour(shown.run.status);
        case Qt::FontRole: {
            QFont font;
            font.setBold(isBest(shown));
            font.setItalic(shown.run.status != "finished" && !shown.run.status.empty());
            return font;
        }
        case StatusRole:
            return QString::fromStdString(shown.run.status);
        case DirectoryRole:
            return QString::fromStdString(shown.run.directory);
        case NameRole:
            return nameOf(shown.run);
        default:
            return {};
    }
}

QVariant SweepMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) {
        return {};
    }
    const auto& names = orientation == Qt::Horizontal ? m_matrix.columnNames : m_matrix.rowNames;
    const auto place = static_cast<std::size_t>(section);
    return place < names.size() ? QString::fromStdString(names[place]) : QString();
}

}  // namespace cospadi::ui
