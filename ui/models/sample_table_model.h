// The items of a task, answered by one model or by two: what each chose, and what flipped.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "core/lm_eval/task_samples.h"

namespace cospadi::ui {

class SampleTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { ItemColumn, FirstColumn, SecondColumn, ChangeColumn, TextColumn, ColumnCount };
    enum class Show { All, Flipped, Lost, Gained, Wrong };

    explicit SampleTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    // second may be empty: then there is nothing to compare with.
    void setSamples(std::vector<TaskSample> first, std::vector<TaskSample> second);
    void setShow(Show show);

    // "200 items: 12 lost, 7 gained, 121 right in both".
    QString summary() const;
    const TaskSample* first(int row) const;   // null without such a row
    const TaskSample* second(int row) const;  // null where there is only one model

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    bool hasSecond() const { return !m_second.empty(); }
    void filter();

    std::vector<TaskSample> m_first, m_second;
    std::vector<SamplePair> m_pairs;   // of all items
    std::vector<std::size_t> m_shown;  // indices of m_pairs
    Show m_show = Show::All;
};

}  // namespace cospadi::ui
