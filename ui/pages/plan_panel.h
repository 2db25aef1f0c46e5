// The left dock's lower half: how the chosen layers are compressed, with what it will cost shown at
// once (core/dictionary/budget.h): k and s of the highlighted layer, the bytes of the whole plan.
#pragma once

#include <QWidget>
#include <vector>

#include "core/model/layer_info.h"
#include "core/pipeline/run_specification.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QSpinBox;

namespace cospadi::ui {

class BytesBar;
class SliderSpin;

class PlanPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PlanPanel(QWidget* parent = nullptr);

    // Everything but model and layers.
    RunSpecification specification() const;

    // What the live figures are about; highlighted may be nullptr.
    void setSelection(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                      const LayerInfo* highlighted);
    // Why no run can start with this plan; empty where it can.
    QString problem() const { return m_problem; }

  signals:
    void changed();

  private:
    void buildForm(QFormLayout* form);
    void enableWhatCounts();
    void showFigures();
    void showHighlighted(const RunSpecification& plan);
    void addChoice(QComboBox* box, const QString& label, const char* value, const QString& tip);

    QComboBox* m_method;
    QComboBox* m_solver;
    SliderSpin* m_cr;
    SliderSpin* m_rho;
    QComboBox* m_accounting;
    QSpinBox* m_iterations;
    QSpinBox* m_seed;
    QSpinBox* m_sequences;
    QSpinBox* m_length;
    QLabel* m_layerFigures;
    QLabel* m_totalFigures;
    BytesBar* m_bar;
    std::vector<LayerInfo> m_selected;
    LayerInfo m_highlighted;
    QString m_problem;
};

}  // namespace cospadi::ui
