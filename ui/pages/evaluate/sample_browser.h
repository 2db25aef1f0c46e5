// Item by item: what a model answered to a task's questions, beside another model's answers; what
// flipped, with the prompt, the choices and their log likelihoods.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/base/latest_work.h"
#include "ui/models/task_board_model.h"

class QComboBox;
class QLabel;
class QTableView;
class QTextBrowser;

namespace cospadi::ui {

class Card;
class SampleTableModel;

class SampleBrowser : public QWidget {
    Q_OBJECT

  public:
    explicit SampleBrowser(QWidget* parent = nullptr);

    // Everything recorded; the choice of models and task stays where it can.
    void setRows(const std::vector<TaskBoardRow>& rows);
    void showTask(const TaskBoardRow& row);
    SampleTableModel* model() const { return m_model; }
    QString detail() const;

  signals:
    void problem(const QString& what, const QString& where, const QString& hint);

  private:
    void fillModels();
    void read();
    void showItem();
    const TaskBoardRow* chosen(const QComboBox* box) const;

    std::vector<TaskBoardRow> m_rows;  // recorded ones
    SampleTableModel* m_model;
    Card* m_card;
    QComboBox* m_task;
    QComboBox* m_first;
    QComboBox* m_second;
    QComboBox* m_show;
    QLabel* m_summary;
    QTableView* m_table;
    QTextBrowser* m_detail;
    LatestWork m_reading;
};

}  // namespace cospadi::ui
