// The Plan page: how the chosen layers are compressed, with what it will cost shown at once
// (core/dictionary/budget.h, core/run/cost_estimate.h): k and s of the highlighted layer, the
// bytes of the whole plan, predicted time and memory. Lists make a sweep, whose jobs are shown
// before anything starts. Every change can be undone; every field explains itself in the help line.
#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QWidget>
#include <map>
#include <vector>

#include "core/model/layer_info.h"
#include "core/store/run_row.h"
#include "core/store/run_specification.h"
#include "ui/engine/run_queue.h"
#include "ui/models/plan_cost.h"
#include "ui/models/sweep.h"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableView;
class QUndoStack;

namespace cospadi::ui {

class Card;
class JobTableModel;
class MethodOptionsForm;
class PlanCostCard;
class SliderSpin;

class PlanPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PlanPanel(QWidget* parent = nullptr);

    // Everything but model and layers; the plan's single values.
    RunSpecification specification() const;
    SweepText sweep() const;
    // Fills all fields, as one step that can be undone.
    void setSpecification(const RunSpecification& specification, const SweepText& sweep = {});

    // What the live figures are about; highlighted may be nullptr.
    void setSelection(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                      const LayerInfo* highlighted, double modelParameters);
    // What the predictions learn from: finished runs of this machine.
    void setHistory(const std::vector<RunRow>& runs);

    // Why no run can start with this plan; empty where it can.
    QString problem() const { return m_problem; }
    // The runs of this plan; model and layers are the window's to fill in.
    QList<Job> jobs() const { return m_jobs; }
    QUndoStack* undoStack() const { return m_undo; }

  signals:
    void changed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    struct State {
        RunSpecification specification;
        SweepText sweep;
    };
    class Change;

    QWidget* makeForm();
    void buildMethod(QFormLayout* form);
    void buildNumbers(QFormLayout* form);
    void buildCalibration(QFormLayout* form);
    void buildSweep(QFormLayout* form);
    Card* makeJobsCard();
    void explain(QWidget* field, const QString& symbol, const QString& help);
    void takePaper();
    void takeOver(const State& state, const QString& what);
    void take(const QString& what);  // a field has changed
    void apply(const State& state);
    State state() const { return {specification(), sweep()}; }
    void enableWhatCounts();
    void showFigures();
    void showPrediction(const RunSpecification& plan);

    QPushButton* m_paper;  // sets the paper's settings
    QComboBox* m_method;
    QComboBox* m_solver;
    std::map<const Method*, MethodOptionsForm*> m_ownOptions;  // of those that have any
    SliderSpin* m_cr;
    SliderSpin* m_rho;
    QComboBox* m_accounting;
    QComboBox* m_format;
    QComboBox* m_refit;
    QComboBox* m_side;
    QComboBox* m_allocation;
    QComboBox* m_propagation;
    QComboBox* m_init;
    QComboBox* m_update;
    QComboBox* m_deadAtoms;
    QComboBox* m_rounding;
    QSpinBox* m_bits;
    QSpinBox* m_iterations;
    QSpinBox* m_powerIterations;
    QDoubleSpinBox* m_tolerance;
    QSpinBox* m_seed;
    QLineEdit* m_text;
    QSpinBox* m_sequences;
    QSpinBox* m_length;
    QLineEdit* m_crList;
    QLineEdit* m_rhoList;
    QLineEdit* m_iterationList;
    QLineEdit* m_seedList;
    QLabel* m_help;
    PlanCostCard* m_cost;
    Card* m_jobsCard;
    JobTableModel* m_jobModel;
    QTableView* m_jobTable;
    QUndoStack* m_undo;
    State m_last;  // as the newest step of the stack has it
    bool m_applying = false;
    QElapsedTimer m_sinceChange;

    PlanCost m_costs;
    LayerInfo m_highlighted;
    QList<Job> m_jobs;
    QString m_problem;
};

}  // namespace cospadi::ui
