// The Plan page: how the chosen layers are compressed (plan_form.h), with what it will cost shown
// at once (core/dictionary/budget.h, core/run/cost_estimate.h): k and s of the highlighted layer,
// the bytes of the whole plan, predicted time and memory. Lists make a sweep, whose jobs are shown
// before anything starts. Every change can be undone.
#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/model/layer_info.h"
#include "core/store/effort.h"
#include "core/store/run_row.h"
#include "core/store/run_specification.h"
#include "ui/engine/run_queue.h"
#include "ui/models/plan_cost.h"
#include "ui/models/sweep.h"

class QTableView;
class QUndoStack;

namespace cospadi::ui {

class Card;
class JobTableModel;
class PlanCostCard;
class PlanForm;

class PlanPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PlanPanel(QWidget* parent = nullptr);

    // Everything but model and layers; the plan's single values.
    RunSpecification specification() const;
    SweepText sweep() const;
    // Fills all fields, as one step that can be undone.
    void setSpecification(const RunSpecification& specification, const SweepText& sweep = {});

    // What of it the fields show otherwise, being too coarse or too narrow, as "cr 0.125 → 0.13".
    // Settings that do not count, model and layers are passed over.
    QStringList shownOtherwise(const RunSpecification& specification) const;

    // What the live figures are about; highlighted may be nullptr.
    void setSelection(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                      const LayerInfo* highlighted, double modelParameters);
    // Whether the sums of the plan's text are on disk: they take no time again.
    void setCalibrationKept(bool isKept);
    // What the predictions go by.
    void setRates(const MeasuredRates& rates);

    // Why no run can start with this plan; empty where it can.
    QString problem() const { return m_problem; }
    // The runs of this plan; model, layers, and data and items of tasks are the window's to fill
    // in.
    QList<Job> jobs() const { return m_jobs; }
    // What they come to; nothing where no run can start.
    const PlanTotals& totals() const { return m_totals; }
    QUndoStack* undoStack() const { return m_undo; }

  signals:
    void changed();
    void layersWanted();  // where none is ticked

  protected:
    void changeEvent(QEvent* event) override;

  private:
    struct State {
        RunSpecification specification;
        SweepText sweep;
    };
    class Change;

    Card* makeJobsCard();
    void takePaper();
    void takeEffort(Effort effort);
    void takeOver(const State& state, const QString& what);
    void take(const QString& what);  // a field has changed
    void apply(const State& state);
    State state() const { return {specification(), sweep()}; }
    void showFigures();
    void hideWhatRunsShare();
    void showPrediction(const RunSpecification& plan);
    PlanTotals totalsOf(const RunSpecification& plan, const PlanBytes& bytes) const;

    PlanForm* m_form;
    PlanCostCard* m_cost;
    Card* m_jobsCard;
    JobTableModel* m_jobModel = nullptr;
    QTableView* m_jobTable;
    QUndoStack* m_undo;
    State m_last;  // as the newest step of the stack has it
    QElapsedTimer m_sinceChange;

    PlanCost m_costs;
    PlanTotals m_totals;
    LayerInfo m_highlighted;
    QList<Job> m_jobs;
    QString m_problem;
};

}  // namespace cospadi::ui
