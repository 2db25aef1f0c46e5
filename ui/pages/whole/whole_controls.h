// The fields above the page "Whole model": CR or the size of the model, ρ, method, storage; what
// the engine is at, and the button that makes the run.
#pragma once

#include <QWidget>

#include "core/store/run_specification.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace cospadi::ui {

class ElidedLabel;
class SliderSpin;

class WholeControls : public QWidget {
    Q_OBJECT

  public:
    explicit WholeControls(QWidget* parent = nullptr);

    const Method& method() const;
    double cr() const;
    void take(const RunSpecification& plan);              // announces nothing
    void writeTo(RunSpecification& specification) const;  // method, storage, ρ
    void enableWhatCounts();                              // for the method

    // What a prediction came to; announces nothing.
    void showRatio(double cr);
    void showBytes(double bytes);
    void showState(const QString& words);
    void showProblem(const QString& problem);
    void setRunnable(bool on);

  signals:
    void ratioChanged(double cr);
    void bytesChanged(double bytes);  // of the whole model, in the place of CR
    void settingChanged();            // method, storage or ρ: other curves
    void runWanted();

  private:
    void makeFields();

    QComboBox* m_method;
    QComboBox* m_storage;
    SliderSpin* m_cr;
    SliderSpin* m_rho;
    QDoubleSpinBox* m_size;  // MB of the whole model
    ElidedLabel* m_state;
    QPushButton* m_run;
};

}  // namespace cospadi::ui
