#include "ui/models/runs_table_model.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/store/source_bytes.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/models/run_looks.h"
#include "ui/models/tag_list.h"

namespace cospadi::ui {

namespace {

QString decimals(double value, int count) {
    return std::isfinite(value) ? QLocale().toString(value, 'f', count) : kMissing;
}

QString modelName(const RunRow& run) {
    return QString::fromStdString(std::filesystem::path(run.model).filename().string());
}

bool isLargerThanSource(const RunRow& run) {
    return !largerThanSource(run.layerBytes, run.sourceType, run.sourceBytes).empty();
}

// What the compressed layers take, beside what they took before.
QString sourceWords(const RunRow& run) {
    const bool isWhole = run.status == "finished";
    const QString source = RunsTableModel::tr("%1 in the model's file (%2)")
                               .arg(formatBytes(static_cast<double>(run.sourceBytes)),
                                    QString::fromStdString(run.sourceType));
    QStringList parts;
    if (run.layerBytes > 0) {
        parts << RunsTableModel::tr("%1 on disk")
                     .arg(formatBytes(static_cast<double>(run.layerBytes)))
              << RunsTableModel::tr("%1 as bf16")
                     .arg(formatBytes(static_cast<double>(run.denseBytes)));
    }
    if (run.sourceBytes > 0 && (isWhole || parts.isEmpty())) {
        parts << source;
    }
    QString words = parts.join(QStringLiteral(", "));
    if (run.sourceBytes > 0 && !isWhole && run.layerBytes > 0) {
        words += RunsTableModel::tr("\nof all its layers: %1").arg(source);
    }
    if (isLargerThanSource(run)) {
        words += RunsTableModel::tr("\nThe result is larger than its source.");
    }
    return words;
}

QString tagsText(const RunRow& run) {
    QStringList tags;
    for (const std::string& tag : run.tags) {
        tags << QString::fromStdString(tag);
    }
    return tagsToLine(tags);
}

}  // namespace

double errorOf(const RunRow& run) {
    return run.method == "dense" ? unknownNumber : run.relativeError;
}

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

void RunsTableModel::setRuns(std::vector<RunRow> runs, RunSettings settings) {
    beginResetModel();
    m_runs = std::move(runs);
    m_settings = std::move(settings);
    m_methods.clear();
    m_search.clear();
    for (const RunRow& run : m_runs) {
        m_methods.push_back(QString::fromStdString(methodLabel(run)));
        m_search.push_back(searchTextOf(static_cast<int>(m_search.size())));
    }
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
            m_search[i] = searchTextOf(row);
            m_fields[i].reset();
            emit dataChanged(index(row, 0), index(row, columnCount() - 1));
        }
    }
}

const RunFields& RunsTableModel::fields(int row) const {
    std::optional<RunFields>& known = m_fields[static_cast<std::size_t>(row)];
    if (!known) {
        known = fieldsOf(run(row));
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
               : column == PerplexityColumn                  ? perplexityOf(run)
               : column == SecondsColumn                     ? run.seconds
               : column == BytesColumn && run.layerBytes > 0 ? static_cast<double>(run.layerBytes)
                                                             : unknownNumber;
    };
    if (m_baseline < 0) {
        return {};
    }
    if (row == m_baseline) {
        return column == NameColumn ? tr("  (baseline)") : QString();
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

QString RunsTableModel::searchTextOf(int row) const {
    const RunRow& run = this->run(row);
    const QStringList words{QString::fromStdString(run.id),
                            ownName(run),
                            QString::fromStdString(run.status),
                            m_methods[static_cast<std::size_t>(row)],
                            QString::fromStdString(run.layers),
                            modelName(run),
                            tagsText(run),
                            QString::fromStdString(run.note),
                            displayText(row, CrColumn),
                            displayText(row, DateColumn)};
    return words.join('\n').toLower();
}

QString RunsTableModel::setting(int row, int column) const {
    const auto index = static_cast<std::size_t>(row);
    const int place = column - ColumnCount;
    return index < m_settings.values.size() && place >= 0 && place < m_settings.values[index].size()
               ? m_settings.values[index][place]
               : QString();
}

QString RunsTableModel::columnKey(int column) const {
    static const char* const keys[] = {"run",   "status", "method", "layers", "cr",         "rho",
                                       "bytes", "source", "saved",  "error",  "perplexity", "time",
                                       "date",  "star",   "tags",   "note",   "model"};
    static_assert(std::size(keys) == ColumnCount);
    return column < ColumnCount ? QString::fromLatin1(keys[column])
                                : m_settings.names.value(column - ColumnCount);
}

bool RunsTableModel::isNumber(int column) const {
    return column < ColumnCount ? column >= CrColumn && column <= SecondsColumn
                                : m_numbers[static_cast<std::size_t>(column - ColumnCount)];
}

// The first run that has the setting tells.
bool RunsTableModel::looksNumeric(int column) const {
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
    const RunRow& run = this->run(row);
    const auto number = [](double value) {
        // Unknown numbers sort last.
        return QVariant(std::isfinite(value) ? value : HUGE_VAL);
    };
    switch (column) {
        case CrColumn:
            return number(run.method == "dense" ? unknownNumber : run.cr);
        case RhoColumn:
            return number(isSparse(run) && !run.hasAutoRho() ? run.rho : unknownNumber);
        case BytesColumn:
            return QVariant(static_cast<qlonglong>(run.layerBytes));
        case SourceColumn:
            return number(run.sourceBytes > 0 ? static_cast<double>(run.sourceBytes)
                                              : unknownNumber);
        case RatioColumn:
            return number(run.measuredRatio());
        case ErrorColumn:
            return number(errorOf(run));
        case PerplexityColumn:
            return number(perplexityOf(run));
        case SecondsColumn:
            return number(run.seconds);
        case DateColumn:
            return QString::fromStdString(run.created);
        case StarColumn:
            return run.starred ? 0 : 1;  // starred ones first
        default: {
            bool isNumeric = false;
            const double value =
                column < ColumnCount ? 0 : setting(row, column).toDouble(&isNumeric);
            return isNumeric ? QVariant(value) : QVariant(displayText(row, column));
        }
    }
}

QString RunsTableModel::displayText(int row, int column) const {
    const RunRow& run = this->run(row);
    switch (column) {
        case NameColumn: {
            const QString own = ownName(run);
            return own.isEmpty() ? QString::fromStdString(run.id) : own;
        }
        case StatusColumn:
            return QString::fromStdString(run.status);
        case MethodColumn:
            return m_methods[static_cast<std::size_t>(row)];
        case LayersColumn:
            return QStringLiteral("%1  (%2)")
                .arg(QString::fromStdString(run.layers))
                .arg(run.matrices);
        case CrColumn:
            return run.method == "dense" ? kMissing : decimals(run.cr, 2);
        case RhoColumn:
            return !isSparse(run) ? kMissing : run.hasAutoRho() ? tr("auto") : decimals(run.rho, 2);
        case BytesColumn:
            return run.method == "dense" ? kMissing
                                         : formatBytes(static_cast<double>(run.layerBytes));
        case SourceColumn:
            return run.sourceBytes > 0 ? QStringLiteral("%1 %2").arg(
                                             formatBytes(static_cast<double>(run.sourceBytes)),
                                             QString::fromStdString(run.sourceType))
                                       : kMissing;
        case RatioColumn:
            return formatPercent(run.measuredRatio());
        case ErrorColumn:
            return formatError(errorOf(run));
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
        case StarColumn:
            return run.starred ? QStringLiteral("★") : QStringLiteral("☆");
        case TagsColumn:
            return tagsText(run);
        case NoteColumn:
            return QString::fromStdString(run.note);
        case ModelColumn:
            return modelName(run);
        default: {
            const QString value = setting(row, column);
            return value.isEmpty() ? kMissing : value;
        }
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
            if (index.column() == NameColumn) {
                return QString::fromStdString(row.id);
            }
            if (index.column() == StatusColumn && !row.message.empty()) {
                return QString::fromStdString(row.message);
            }
            if (index.column() >= BytesColumn && index.column() <= RatioColumn) {
                return sourceWords(row);
            }
            if (index.column() == StarColumn) {
                return row.starred ? tr("Click: no longer starred") : tr("Click: star this run");
            }
            if (index.column() == TagsColumn || index.column() == NoteColumn) {
                const QString text = displayText(index.row(), index.column());
                return index.column() == TagsColumn
                           ? tr("%1 (F2 edits; separated by commas)").arg(text)
                           : tr("%1 (F2 writes a new note; earlier ones are kept)").arg(text);
            }
            return displayText(index.row(), index.column());
        case Qt::TextAlignmentRole:
            return headerData(index.column(), Qt::Horizontal, role);
        case Qt::DecorationRole: {
            const QString id = QString::fromStdString(row.id);
            return index.column() == NameColumn && m_colours.contains(id) ? QVariant(m_colours[id])
                                                                          : QVariant();
        }
        case Qt::ForegroundRole:
            if (row.archived) {
                return theme().faint;
            }
            if (index.column() == StarColumn) {
                return row.starred ? theme().warning : theme().faint;
            }
            if (index.column() == BytesColumn && isLargerThanSource(row)) {
                return theme().warning;
            }
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
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == TagsColumn || index.column() == NoteColumn ? flags | Qt::ItemIsEditable
                                                                        : flags;
}

QVariant RunsTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return int((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (section >= ColumnCount) {
        return role == Qt::DisplayRole ? QVariant(columnKey(section))
               : role == Qt::ToolTipRole
                   ? QVariant(columnKey(section).contains('/')
                                  ? tr("%1, as lm-eval measured it").arg(columnKey(section))
                              : columnKey(section) == QLatin1String("sweep")
                                  ? tr("The sweep that the run belongs to")
                                  : tr("The run's setting %1").arg(columnKey(section)))
                   : QVariant();
    }
    const QString titles[] = {tr("Run"),    tr("Status"), tr("Method"), tr("Layers"), tr("CR"),
                              tr("ρ"),      tr("Bytes"),  tr("Source"), tr("Saved"),  tr("Error"),
                              tr("Perpl."), tr("Time"),   tr("Date"),   tr("★"),      tr("Tags"),
                              tr("Note"),   tr("Model")};
    const QString tips[] = {
        tr("Name of the run's directory"),
        tr("finished, or why not: interrupted and cancelled runs can be resumed"),
        tr("Compression method, and its solver where it learns a dictionary"),
        tr("Regular expression of the layers (number of finished matrices)"),
        tr("Compression ratio γ asked for: the fraction of storage to remove"),
        tr("ρ = k/s: atoms per non-zero of a column"),
        tr("Bytes of the compressed matrices on disk, mask included; coloured where the model's "
           "own "
           "file holds the same layers in fewer"),
        tr("What the same layers take in the model's own file, and in which type"),
        tr("Fraction of storage removed as measured: 1 − bytes / dense bytes (bf16)"),
        tr("Mean over matrices of the whitened relative error ‖L W − D S‖ / ‖L W‖"),
        tr("Perplexity, where measured (lower is better)"),
        tr("Wall-clock time of the run"),
        tr("When the run was created"),
        tr("Starred runs: click a star to set or take it"),
        tr("Tags, separated by commas; one that holds a comma in quotation marks; F2 edits them"),
        tr("The latest note; F2 writes a new one"),
        tr("The model's file")};
    static_assert(std::size(titles) == ColumnCount && std::size(tips) == ColumnCount);
    return role == Qt::DisplayRole   ? QVariant(titles[section])
           : role == Qt::ToolTipRole ? QVariant(tips[section])
                                     : QVariant();
}

}  // namespace cospadi::ui
