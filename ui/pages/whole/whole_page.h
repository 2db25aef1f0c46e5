// The page "Whole model": what compressing all of it will come to, under one slider. CR or a file
// size, ρ, method and storage are dragged; perplexity, bytes and the ratio of every matrix follow
// from the curves that the engine measures meanwhile (CurveSource). A matrix is chosen by a click
// into the map, and pinned, limited or left out below it. *Run it* makes the run.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/allocation/model_prediction.h"
#include "core/store/run_row.h"
#include "core/store/run_specification.h"
#include "ui/engine/curve_source.h"
#include "ui/pages/whole/kept_targets.h"
#include "ui/pages/whole/target_prediction.h"

namespace cospadi::ui {

class EmptyState;
class NumbersCard;
class PerplexityCard;
class RatioMapCard;
class WholeControls;

class WholePage : public QWidget {
    Q_OBJECT

  public:
    // source: of that engine; outlives the page.
    WholePage(EngineClient* engine, CurveSource* source, QWidget* parent = nullptr);

    // What is not on the page (solver, calibration, …) is the plan's; its model is empty where none
    // is open. The first one gives ratio, ρ, method and storage as well. What was chosen here for a
    // model is there again when it is opened again.
    void setPlan(const RunSpecification& plan);
    // Of whatever model; those that fit stand as points in the chart.
    void setRuns(const std::vector<RunRow>& runs);
    // As the engine tells them; the page asks for them while it is seen.
    void setCurves(const ModelCurves& curves);

    // The run that the page shows; nothing while there is no prediction.
    std::optional<RunSpecification> runToMake() const;
    const std::optional<Prediction>& shared() const { return m_prediction.shared(); }
    // Of every model for which something was chosen, for the next start.
    QString targetsAsText() const;
    void restoreTargets(const QString& text) { m_kept.restore(text); }
    CurveSource* source() const { return m_source; }

  signals:
    void modelWanted();  // where none is open
    void runRequested(const cospadi::RunSpecification& specification);
    void exported(const QString& path);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeCards();
    void connectControls();
    void connectSource();
    RunSpecification specification() const;    // of the fields; all layers
    void keepTarget(KeptTargets& kept) const;  // of the model that is open
    void takeTarget();
    void settingChanged();
    void measure();
    void dropCurves();
    void targetChanged();  // pins, limits, exclusions: also of the curves over CR
    void predict();
    void drawCurves();
    void showNumbers(const QString& problem);

    CurveSource* m_source;
    WholeControls* m_controls;
    RunSpecification m_plan;
    bool m_planTaken = false;
    QString m_asked;  // the settings that curves were asked for
    TargetPrediction m_prediction;
    PredictionTarget m_target;
    KeptTargets m_kept;
    bool m_isOwn = false;         // something was chosen here
    bool m_isSettingOwn = false;  // method, storage or ρ was
    std::vector<RunRow> m_runs;
    QTimer m_patience;
    QWidget* m_content;  // all but what stands there without a model
    EmptyState* m_noModel;
    PerplexityCard* m_perplexities;
    RatioMapCard* m_map;
    NumbersCard* m_numbers = nullptr;
    QString m_problem;  // in the place of the numbers
};

}  // namespace cospadi::ui
