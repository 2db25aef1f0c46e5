#include "ui/models/task_board_model.h"

#include <QFont>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/report/report.h"
#include "ui/base/format.h"
#include "ui/models/run_looks.h"

namespace cospadi::ui {

namespace {

constexpr double kNormalQuantile = 1.96;  // of a 95 % interval

const TaskMetricValue* find(const TaskBoardRow& row, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        for (const TaskMetricValue& metric : row.metrics) {
            if (metric.metric == QLatin1String(name)) {
                return &metric;
            }
        }
    }
    return nullptr;
}

const TaskMetricValue* metricOf(const TaskBoardRow& row, int column) {
    switch (column) {
        case TaskBoardModel::AccuracyColumn:
            return find(row, {"acc", "exact_match"});
        case TaskBoardModel::NormalisedColumn:
            return find(row, {"acc_norm"});
        case TaskBoardModel::PerplexityColumn:
            return find(row, {"perplexity", "word_perplexity"});
        default:
            return nullptr;
    }
}

QString number(double value, int digits) {
    return std::isfinite(value) ? QLocale().toString(value, 'f', digits) : kMissing;
}

// Of a share of n items by Wilson's formula, which a few items, all right or all wrong, do not
// mislead as a multiple of the standard error would.
QString shareWithInterval(double share, qint64 items) {
    QString value = number(share, 3);
    if (!std::isfinite(share) || items < 1) {
        return value;
    }
    const auto n = static_cast<double>(items);
    const double square = kNormalQuantile * kNormalQuantile;
    const double centre = (share + square / (2 * n)) / (1 + square / n);
    const double half = kNormalQuantile / (1 + square / n) *
                        std::sqrt(share * (1 - share) / n + square / (4 * n * n));
    return QStringLiteral("%1 (%2–%3)")
        .arg(value, number(std::max(0.0, centre - half), 2),
             number(std::min(1.0, centre + half), 2));
}

QString perplexityWithInterval(const TaskMetricValue& metric) {
    const int digits = metric.value < 1000 ? 2 : 0;
    const QString value = number(metric.value, digits);
    return std::isfinite(metric.standardError)
               ? QStringLiteral("%1 ± %2").arg(
                     value, number(kNormalQuantile * metric.standardError, digits))
               : value;
}

QString stateText(const TaskJob& job, const TaskLine* line) {
    switch (job.state) {
        case TaskJob::State::Waiting:
            return TaskBoardModel::tr("waiting");
        case TaskJob::State::Running:
            break;
        case TaskJob::State::Finished:
            return line != nullptr && line->wasThere ? TaskBoardModel::tr("already done")
                                                     : TaskBoardModel::tr("done");
        case TaskJob::State::Cancelled:
            return line != nullptr && line->isFinished ? TaskBoardModel::tr("done")
                                                       : TaskBoardModel::tr("cancelled");
        case TaskJob::State::Failed:
            return line != nullptr && line->isFinished ? TaskBoardModel::tr("done")
                                                       : TaskBoardModel::tr("failed");
    }
    if (line == nullptr) {
        return job.lines.isEmpty() ? TaskBoardModel::tr("loading the model")
                                   : TaskBoardModel::tr("waiting");
    }
    if (line->isFinished) {
        return line->wasThere ? TaskBoardModel::tr("already done") : TaskBoardModel::tr("done");
    }
    return job.etaSeconds >= 0
               ? TaskBoardModel::tr("running, %1 left").arg(formatDuration(job.etaSeconds))
               : TaskBoardModel::tr("running");
}

}  // namespace

QString evaluatedModelLabel(const RunRow& run) {
    if (const QString own = ownName(run); !own.isEmpty()) {
        return own;
    }
    const QString method = QString::fromStdString(methodLabel(run));
    return std::isfinite(run.cr) && run.method != "dense"
               ? TaskBoardModel::tr("%1, CR %2").arg(method, QLocale().toString(run.cr, 'f', 2))
               : method;
}

void TaskBoardModel::setStored(const std::vector<RunRow>& runs) {
    m_stored.clear();
    for (const RunRow& run : runs) {
        std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string>,
                 std::size_t>
            places;
        for (const TaskResultRow& result : run.taskResults) {
            const auto key = std::tuple(result.task, result.version, result.shots, result.samples,
                                        result.dataSha256);
            const auto [place, isNew] = places.emplace(key, m_stored.size());
            if (isNew) {
                TaskBoardRow row;
                row.model = evaluatedModelLabel(run);
                row.directory = QString::fromStdString(run.directory);
                row.task = QString::fromStdString(result.task);
                row.items = result.samples;
                row.shots = result.shots;
                row.version = QString::fromStdString(result.version);
                row.dataSha256 = QString::fromStdString(result.dataSha256);
                row.evaluation = QString::fromStdString(result.file);
                m_stored.push_back(row);
            }
            m_stored[place->second].metrics.append(
                {QString::fromStdString(result.metric), result.value, result.standardError});
        }
    }
    join();
}

void TaskBoardModel::setJobs(const QList<TaskJob>& jobs) {
    m_live.clear();
    for (const TaskJob& job : jobs) {
        if (job.state == TaskJob::State::Finished && job.problem.isEmpty()) {
            continue;  // recorded: among the stored ones
        }
        QStringList tasks = job.tasks;
        for (const TaskLine& line : job.lines) {
            if (!tasks.contains(line.task)) {
                tasks.removeAll(line.task.section('_', 0, 0));  // mmlu → mmlu_SUBJECT
                tasks.append(line.task);
            }
        }
        for (const QString& task : tasks) {
            const auto line = std::find_if(job.lines.begin(), job.lines.end(),
                                           [&](const TaskLine& l) { return l.task == task; });
            const bool isThere = line != job.lines.end();
            TaskBoardRow row;
            row.model = job.label;
            row.task = task;
            row.items = isThere ? line->items : 0;
            row.metrics = isThere ? line->metrics : QList<TaskMetricValue>();
            row.state = stateText(job, isThere ? &*line : nullptr);
            m_live.push_back(row);
        }
    }
    join();
}

void TaskBoardModel::join() {
    std::vector<TaskBoardRow> rows = m_live;
    rows.insert(rows.end(), m_stored.begin(), m_stored.end());
    if (rows.size() == m_rows.size()) {  // selections and scroll positions stay
        m_rows = std::move(rows);
        if (!m_rows.empty()) {
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        }
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int TaskBoardModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int TaskBoardModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TaskBoardModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const TaskBoardRow& row = at(index.row());
    const int column = index.column();
    const TaskMetricValue* metric = metricOf(row, column);
    const bool isNumber = column >= AccuracyColumn && column <= ItemsColumn;
    switch (role) {
        case Qt::DisplayRole:
            switch (column) {
                case ModelColumn:
                    return row.model;
                case TaskColumn:
                    return row.task;
                case ItemsColumn:
                    return QLocale().toString(row.items);
                case StateColumn:
                    return row.state.isEmpty() ? tr("recorded") : row.state;
                default:
                    return metric == nullptr ? kMissing
                           : column == PerplexityColumn
                               ? perplexityWithInterval(*metric)
                               : shareWithInterval(metric->value, row.items);
            }
        case SortRole:
            if (column == ItemsColumn) {
                return row.items;
            }
            if (isNumber) {
                return metric != nullptr ? metric->value : -1.0;
            }
            return data(index, Qt::DisplayRole);
        case Qt::TextAlignmentRole:
            return isNumber ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                            : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            if (column == ModelColumn) {
                return row.directory.isEmpty() ? row.model : row.directory;
            }
            return row.shots >= 0 ? tr("%1, version %2, examples in the prompt: %3")
                                        .arg(row.task, row.version)
                                        .arg(row.shots)
                                  : QVariant();
        default:
            return {};
    }
}

QVariant TaskBoardModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    const QString titles[] = {tr("Model"),      tr("Task"),  tr("acc"),  tr("acc_norm"),
                              tr("Perplexity"), tr("Items"), tr("State")};
    const QString help[] = {
        tr("The run, or the dense model"),
        tr("As lm-eval names it"),
        tr("Share of items whose most likely answer is right, with its 95 % interval"),
        tr("The same with likelihoods divided by the answer's length in characters"),
        tr("LAMBADA: of the last words; WikiText: per word"),
        tr("Items evaluated so far"),
        QString()};
    if (role == Qt::DisplayRole) {
        return titles[section];
    }
    if (role == Qt::TextAlignmentRole && section >= AccuracyColumn && section <= ItemsColumn) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    return role == Qt::ToolTipRole ? QVariant(help[section]) : QVariant();
}

}  // namespace cospadi::ui
