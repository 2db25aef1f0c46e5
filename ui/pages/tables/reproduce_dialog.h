// A table or figure of the paper from one's own runs (`cospadi reproduce`): the label and model
// chosen, the runs that it takes with their bytes, memory and time, Start; then the table, with
// what is still missing as holes. Beside the window, and closed without stopping what goes on.
#pragma once

#include <QDialog>

#include "core/base/error.h"
#include "ui/base/latest_work.h"
#include "ui/engine/reproduction_work.h"
#include "ui/sources/reproduction_source.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTabWidget;
class QTableView;

namespace cospadi::ui {

class ReproductionPlanModel;

class ReproduceDialog : public QDialog {
    Q_OBJECT

  public:
    // work: not null, outlives it. model: as a user would write it. device: of the engine.
    ReproduceDialog(ReproductionWork* work, const QString& model, const QString& device,
                    QWidget* parent = nullptr);

    void choose(const QString& label, ProtocolSize size);
    ReproductionQuestion question() const;
    bool isBusy() const { return m_planning.isBusy(); }  // the plan is not the question's yet
    ReproductionPlanModel* plan() const { return m_plan; }

  signals:
    void planned();  // the plan, or why there is none, is on show
    void exported(const QString& path);
    void exportFailed(const QString& problem);

  private:
    QWidget* makeFields();
    QWidget* makeRuns();
    void fillLabels();
    void connectWork();
    const Reproduction* chosen() const;
    void look();  // plans what the fields say
    void showPlanned(const PlannedLabel& found);
    void showProblem(const Error& error);
    void showTables(const PlannedLabel& found);
    void addFigures(const ReproducedTable& made);
    void showWork();
    void startOrStop();

    ReproductionWork* m_work;
    QString m_device;
    std::vector<Reproduction> m_labels;
    QComboBox* m_label;
    QLineEdit* m_model;
    QComboBox* m_size;
    QLabel* m_about;  // what the label shows, what is measured, in what it differs
    QTabWidget* m_tabs;
    QTableView* m_table;
    ReproductionPlanModel* m_plan;
    QLabel* m_cost;  // what is left and what it takes; or why nothing can be made
    QLabel* m_progress;
    QLineEdit* m_command;
    QPushButton* m_start;
    LatestWork m_planning;
    bool m_canStart = false;
};

}  // namespace cospadi::ui
