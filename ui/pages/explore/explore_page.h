// The Explore page: interactive ablation of one matrix or a handful, by the plan's method. Dragging
// ρ, CR or the number of iterations, as far as the method has them, solves again at once; the
// curves error(iteration), error(ρ) and error(bytes) grow as the engine finds better estimates,
// with the low-rank method (SVD-LLM) as reference. What was found can be kept as a run, or put into
// the plan.
#pragma once

#include <QList>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/model/layer_info.h"
#include "core/store/run_specification.h"
#include "ui/engine/matrix_lab.h"
#include "ui/models/explore_curves.h"

class QLabel;

namespace cospadi::ui {

class CurveChart;
class EmptyState;
class ExploreCharts;
class ExploreControls;
class MatrixPicker;

class ExplorePage : public QWidget {
    Q_OBJECT

  public:
    explicit ExplorePage(MatrixLab* lab, QWidget* parent = nullptr);

    void setLayers(const std::vector<LayerInfo>& layers);
    void setLayer(const QString& name);
    QString layer() const;  // the one in front
    // Model, method, calibration, storage and seed are the plan's; CR, ρ, solver and iterations are
    // this page's own after the first time.
    void setPlan(const RunSpecification& plan);

    // What is being explored, as a run of these layers.
    RunSpecification specification() const;

    MatrixPicker* picker() const;
    CurveChart* iterationChart() const;
    CurveChart* rhoChart() const;
    CurveChart* bytesChart() const;
    QString facts() const;

    // The values of the two curves.
    static QList<double> rhoValues() { return {1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 6}; }
    static QList<double> crValues() { return {0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6}; }

  signals:
    void modelWanted();  // where none is open
    void keepRequested(const cospadi::RunSpecification& specification);
    void planRequested(const cospadi::RunSpecification& specification);
    void exported(const QString& path);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void connectControls();
    void connectLab();
    // Of controls and charts, those that the plan's method has a use for.
    void showWhatCounts();
    void solveLater();
    void solve();
    void rememberCurve();
    void draw();
    void showFacts();
    void showState();

    MatrixLab* m_lab;
    QTimer m_patience;
    RunSpecification m_plan;
    bool m_planTaken = false;
    QString m_solved;      // the request that is on show, so that the same one is not made again
    int m_remembered = 0;  // exploration whose curve was last kept, or is not to be
    QList<EarlierCurve> m_earlier;  // of earlier settings, drawn behind
    ExploreControls* m_controls;
    ExploreCharts* m_charts = nullptr;
    QLabel* m_facts;  // of one matrix
    EmptyState* m_noModel;
    QWidget* m_content;  // all else
};

}  // namespace cospadi::ui
