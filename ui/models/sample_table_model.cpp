#include "ui/models/sample_table_model.h"

#include <algorithm>
#include <cmath>

#include "ui/base/format.h"

namespace cospadi::ui {

namespace {

QString answerOf(const TaskSample& sample) {
    QString mark = !std::isfinite(sample.acc) ? QString()
                   : sample.acc > 0           ? QStringLiteral("✓")
                                              : QStringLiteral("✗");
    if (sample.chosen < 0) {
        return mark.isEmpty() ? kMissing : mark;
    }
    return QStringLiteral("%1 %2").arg(mark.isEmpty() ? kMissing : mark,
                                       QChar(static_cast<char16_t>('A' + sample.chosen)));
}

QString lastLine(const QString& text) {
    const QStringList lines = text.trimmed().split('\n', Qt::SkipEmptyParts);
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        if (*line != QLatin1String("Answer:")) {
            return line->trimmed();
        }
    }
    return {};
}

}  // namespace

void SampleTableModel::setSamples(std::vector<TaskSample> first, std::vector<TaskSample> second) {
    beginResetModel();
    m_first = std::move(first);
    m_second = std::move(second);
    m_pairs = pairSamples(m_first, hasSecond() ? m_second : m_first);
    filter();
    endResetModel();
}

void SampleTableModel::setShow(Show show) {
    beginResetModel();
    m_show = show;
    filter();
    endResetModel();
}

void SampleTableModel::filter() {
    m_shown.clear();
    for (std::size_t i = 0; i < m_pairs.size(); ++i) {
        const SamplePair& pair = m_pairs[i];
        const bool isLost = pair.change == SampleChange::Lost;
        const bool isGained = pair.change == SampleChange::Gained;
        const bool isWrong = pair.change == SampleChange::BothWrong;
        const bool wanted = m_show == Show::All || (m_show == Show::Lost && isLost) ||
                            (m_show == Show::Gained && isGained) ||
                            (m_show == Show::Flipped && (isLost || isGained)) ||
                            (m_show == Show::Wrong && isWrong);
        if (wanted) {
            m_shown.push_back(i);
        }
    }
}

QString SampleTableModel::summary() const {
    const auto count = [&](SampleChange change) {
        return static_cast<int>(
            std::count_if(m_pairs.begin(), m_pairs.end(),
                          [&](const SamplePair& pair) { return pair.change == change; }));
    };
    const int all = static_cast<int>(m_pairs.size());
    if (!hasSecond()) {
        return tr("%1 of %2 items right").arg(count(SampleChange::BothRight)).arg(all);
    }
    return tr("items: %1 lost, %2 gained, %3 right in both, %4 wrong in both")
        .arg(count(SampleChange::Lost))
        .arg(count(SampleChange::Gained))
        .arg(count(SampleChange::BothRight))
        .arg(count(SampleChange::BothWrong));
}

const TaskSample* SampleTableModel::first(int row) const {
    if (row < 0 || row >= rowCount()) {
        return nullptr;
    }
    return &m_first[m_pairs[m_shown[static_cast<std::size_t>(row)]].first];
}

const TaskSample* SampleTableModel::second(int row) const {
    if (row < 0 || row >= rowCount() || !hasSecond()) {
        return nullptr;
    }
    return &m_second[m_pairs[m_shown[static_cast<std::size_t>(row)]].second];
}

int SampleTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int SampleTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SampleTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const SamplePair& pair = m_pairs[m_shown[static_cast<std::size_t>(index.row())]];
    const TaskSample& one = *first(index.row());
    const TaskSample* other = second(index.row());
    const QString text = QString::fromStdString(one.context.empty() && !one.continuations.empty()
                                                    ? one.continuations.front()
                                                    : one.context);
    if (role == Qt::TextAlignmentRole && index.column() == ItemColumn) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
        case ItemColumn:
            return static_cast<qint64>(one.item);
        case FirstColumn:
            return answerOf(one);
        case SecondColumn:
            return other != nullptr ? answerOf(*other) : kMissing;
        case ChangeColumn:
            if (other == nullptr) {
                return kMissing;
            }
            return pair.change == SampleChange::Lost     ? tr("lost")
                   : pair.change == SampleChange::Gained ? tr("gained")
                   : pair.isOtherChoice                  ? tr("other choice")
                                                         : QString();
        case TextColumn:
            return lastLine(text);
        default:
            return {};
    }
}

QVariant SampleTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && section == ItemColumn) {
        return int(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString titles[] = {tr("Item"), tr("First"), tr("Second"), tr("Change"), tr("Question")};
    return titles[section];
}

}  // namespace cospadi::ui
