// The fields above the page Explore: which matrices, solver, ρ, CR and iterations; what the engine
// is at, and the buttons that stop it, calibrate, and take the setting over.
#pragma once

#include <QWidget>

#include "core/store/run_specification.h"

class QComboBox;
class QPushButton;

namespace cospadi::ui {

class ElidedLabel;
class MatrixPicker;
class SliderSpin;

class ExploreControls : public QWidget {
    Q_OBJECT

  public:
    explicit ExploreControls(QWidget* parent = nullptr);

    MatrixPicker* picker() const { return m_picker; }
    void take(const RunSpecification& plan);  // CR and ρ; announces nothing
    // As far as the method of the specification has them, and the matrices.
    void writeTo(RunSpecification& specification) const;
    void enableWhatCounts(const RunSpecification& plan);  // for its method

    void showState(const QString& words);
    void showProblem(const QString& problem);
    void showCalibration(int done, int total, double etaSeconds);  // eta < 0: unknown
    void offerCalibration(bool on);
    void setStoppable(bool on);

  signals:
    void changed();
    void stopWanted();
    void calibrationWanted();
    void planWanted();  // with this setting, as the next
    void runWanted();

  private:
    void makeFields();
    void makeButtons();
    void connectFields();

    MatrixPicker* m_picker;
    QComboBox* m_solver;
    SliderSpin* m_cr;
    SliderSpin* m_rho;
    SliderSpin* m_iterations;
    ElidedLabel* m_state;
    QPushButton* m_calibrate;
    QPushButton* m_stop;
    QPushButton* m_use;
    QPushButton* m_keep;
};

}  // namespace cospadi::ui
