#include "ui/models/runs_table_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/format.h"
#include "ui/base/quantity_words.h"
#include "ui/base/theme.h"
#include "ui/models/perplexity_column.h"
#include "ui/models/run_looks.h"
#include "ui/models/series_look.h"
#include "ui/models/tag_list.h"

namespace cospadi::ui {

namespace {

// Settings come as the specification has them; beside them stand numbers in the user's locale.
QString settingInWords(const QString& value) {
    constexpr int kEveryDigit = 12;
    bool isNumeric = false;
    const double number = value.toDouble(&isNumeric);
    return isNumeric && std::isfinite(number)
               ? formatNumber(number, kEveryDigit, needsPower(number) && std::abs(number) < 1)
               : value;
}

}  // namespace

RunsTableModel::RunsTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsTableModel::setRuns(std::vector<RunRow> runs, RunSettings settings) {
    std::vector<RunTexts> texts = textsOf(runs);
    setRuns(std::move(runs), std::move(settings), std::move(texts));
}

void RunsTableModel::setRuns(std::vector<RunRow> runs, RunSettings settings,
                             std::vector<RunTexts> texts) {
    beginResetModel();
    m_runs = std::move(runs);
    m_measure = commonMeasure(m_runs);
    m_columns[PerplexityColumn] = perplexityColumn(m_measure);
    m_settings = std::move(settings);
    m_texts = std::move(texts);
    m_fields.assign(m_runs.size(), std::nullopt);
    m_baseline = rowOf(m_baselineId);
    m_numbers.clear();
    for (int column = ColumnCount; column < columnCount(); ++column) {
        m_numbers.push_back(looksNumeric(column));
    }
    endResetModel();
}

void RunsTableModel::setMarks(const RunRow& marked) {
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        if (m_runs[i].id == marked.id) {
            m_runs[i].starred = marked.starred;
            m_runs[i].archived = marked.archived;
            m_runs[i].tags = marked.tags;
            m_runs[i].note = marked.note;
            const int row = static_cast<int>(i);
            m_texts[i] = textsOf(marked);
            m_fields[i].reset();
            emit dataChanged(index(row, 0), index(row, columnCount() - 1));
        }
    }
}

const RunFields& RunsTableModel::fields(int row) const {
    std::optional<RunFields>& known = m_fields[static_cast<std::size_t>(row)];
    if (!known) {
        known = fieldsOf(run(row), perplexity(row));
    }
    return *known;
}

std::set<std::string> RunsTableModel::fieldNames() const {
    std::set<std::string> names(commonFields().begin(), commonFields().end());
    names.insert({"cr", "rho"});
    for (const QString& name : m_settings.names) {
        names.insert(name.toStdString());
    }
    return names;
}

int RunsTableModel::rowOf(const QString& id) const {
    const auto found = std::find_if(m_runs.begin(), m_runs.end(),
                                    [&](const RunRow& run) { return run.id == id.toStdString(); });
    return found == m_runs.end() ? -1 : static_cast<int>(found - m_runs.begin());
}

void RunsTableModel::setBaseline(const QString& id) {
    m_baselineId = id;
    m_baseline = rowOf(id);
    if (rowCount() > 0) {
        emit dataChanged(index(0, NameColumn), index(rowCount() - 1, SecondsColumn));
    }
}

QString RunsTableModel::besideBaseline(int row, int column) const {
    const auto value = [this, column](int which) {
        const RunRow& run = this->run(which);
        return column == ErrorColumn                         ? errorOf(run)
               : column == PerplexityColumn                  ? perplexity(which)
               : column == SecondsColumn                     ? secondsOf(run)
               : column == BytesColumn && run.layerBytes > 0 ? static_cast<double>(run.layerBytes)
                                                             : unknownNumber;
    };
    if (m_baseline < 0) {
        return {};
    }
    if (row == m_baseline) {
        return column == NameColumn ? QStringLiteral("  ") + tr("(baseline)") : QString();
    }
    const QString words = relativeTo(value(m_baseline), value(row));
    return words.isEmpty() ? words : QStringLiteral("  ") + words;
}

void RunsTableModel::setColours(const QHash<QString, QColor>& colours) {
    const QHash<QString, QColor> before = std::exchange(m_colours, colours);
    for (int row = 0; row < rowCount(); ++row) {
        const QString id = QString::fromStdString(run(row).id);
        if (before.value(id) != colours.value(id)) {
            const QModelIndex name = index(row, NameColumn);
            emit dataChanged(name, name, {Qt::DecorationRole});
        }
    }
}

QString RunsTableModel::setting(int row, int column) const {
    const auto index = static_cast<std::size_t>(row);
    const int place = column - ColumnCount;
    return index < m_settings.values.size() && place >= 0 && place < m_settings.values[index].size()
               ? m_settings.values[index][place]
               : QString();
}

QString RunsTableModel::columnKey(int column) const {
    return column < ColumnCount ? QString::fromLatin1(columnOf(column).key)
                                : m_settings.names.value(column - ColumnCount);
}

bool RunsTableModel::isNumber(int column) const {
    return column < ColumnCount ? column >= CrColumn && column <= SecondsColumn
                                : m_numbers[static_cast<std::size_t>(column - ColumnCount)];
}

// The first run that has the setting tells.
bool RunsTableModel::looksNumeric(int column) const {
    if (columnKey(column) == QLatin1String("sweep")) {
        return false;  // a name, also where somebody calls it 2024
    }
    for (int row = 0; row < rowCount(); ++row) {
        const QString text = setting(row, column);
        if (!text.isEmpty()) {
            bool number = false;
            text.toDouble(&number);
            return number;
        }
    }
    return false;
}

int RunsTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunsTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount + static_cast<int>(m_settings.names.size());
}

QVariant RunsTableModel::sortValue(int row, int column) const {
    if (column < ColumnCount) {
        const auto& value = columnOf(column).sortValue;
        return value ? value(run(row)) : QVariant(displayText(row, column));
    }
    bool isNumeric = false;
    const double value = setting(row, column).toDouble(&isNumeric);
    return isNumeric ? QVariant(value) : QVariant(displayText(row, column));
}

QString RunsTableModel::displayText(int row, int column) const {
    if (column == MethodColumn) {
        return texts(row).method;
    }
    if (column < ColumnCount) {
        return columnOf(column).text(run(row));
    }
    const QString value = setting(row, column);
    return value.isEmpty() ? kMissing : isNumber(column) ? settingInWords(value) : value;
}

QString RunsTableModel::toolTip(int row, int column) const {
    const bool hasTip = column < ColumnCount && columnOf(column).tip;
    return hasTip ? columnOf(column).tip(run(row)) : displayText(row, column);
}

QVariant RunsTableModel::colourOfText(int row, int column) const {
    const RunRow& run = this->run(row);
    if (run.archived) {
        return theme().muted;
    }
    switch (column) {
        case StarColumn:
            return run.starred ? theme().warning : theme().faint;
        case BytesColumn:
            return isLargerThanSource(run) ? QVariant(theme().warning) : QVariant();
        case StatusColumn:
            return run.status == "finished" ? theme().good
                   : run.status == "failed" ? theme().error
                                            : theme().warning;
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
            return displayText(index.row(), index.column()) +
                   besideBaseline(index.row(), index.column());
        case Qt::EditRole:
            return displayText(index.row(), index.column());
        case Qt::AccessibleTextRole:
            return index.column() == StarColumn ? (row.starred ? tr("starred") : tr("not starred"))
                                                : displayText(index.row(), index.column());
        case SortRole:
            return sortValue(index.row(), index.column());
        case IdRole:
            return QString::fromStdString(row.id);
        case Qt::ToolTipRole:
            return toolTip(index.row(), index.column());
        case Qt::TextAlignmentRole:
            return headerData(index.column(), Qt::Horizontal, role);
        case Qt::DecorationRole: {
            const QString id = QString::fromStdString(row.id);
            return index.column() == NameColumn && m_colours.contains(id)
                       ? QVariant(swatch(m_colours[id]))
                       : QVariant();
        }
        case Qt::ForegroundRole:
            return colourOfText(index.row(), index.column());
        default:
            return {};
    }
}

bool RunsTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid() ||
        displayText(index.row(), index.column()) == value.toString()) {
        return false;
    }
    const QString id = QString::fromStdString(run(index.row()).id);
    if (index.column() == TagsColumn) {
        emit tagsWanted(id, tagsFromLine(value.toString()));
        return true;
    }
    if (index.column() == NoteColumn && !value.toString().trimmed().isEmpty()) {
        emit noteWanted(id, value.toString().trimmed());
        return true;
    }
    if (index.column() == StarColumn) {
        emit starWanted(id, !run(index.row()).starred);
        return true;
    }
    return false;
}

Qt::ItemFlags RunsTableModel::flags(const QModelIndex& index) const {
    return index.isValid() ? flagsIn(index.column()) : Qt::NoItemFlags;
}

Qt::ItemFlags RunsTableModel::flagsIn(int column) {
    constexpr Qt::ItemFlags kOfAll =
        Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return column == TagsColumn || column == NoteColumn ? kOfAll | Qt::ItemIsEditable : kOfAll;
}

QVariant RunsTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (section >= ColumnCount) {
        return role == Qt::DisplayRole ? QVariant(quantityWords(columnKey(section)))
               : role == Qt::ToolTipRole
                   ? QVariant(columnKey(section).contains('/')
                                  ? tr("%1, as measured by lm-eval").arg(columnKey(section))
                              : columnKey(section) == QLatin1String("sweep")
                                  ? tr("The sweep that the run belongs to")
                                  : tr("The run's setting %1").arg(columnKey(section)))
                   : QVariant();
    }
    return role == Qt::DisplayRole   ? QVariant(columnOf(section).title)
           : role == Qt::ToolTipRole ? QVariant(columnOf(section).help)
                                     : QVariant();
}

}  // namespace cospadi::ui
