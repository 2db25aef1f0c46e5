// The fields of the Plan page, in sections, over the line that explains the one in work. Gives and
// takes a plan and says which fields count; knows nothing of costs, jobs and steps back.
#pragma once

#include <QWidget>

#include "core/store/effort.h"
#include "core/store/run_specification.h"
#include "ui/models/sweep.h"

class QFormLayout;
class QHBoxLayout;
class QScrollArea;

namespace cospadi::ui {

class CalibrationSection;
class MethodSection;
class PlanHelp;
class SettingFields;
class SliderSpin;
class SweepSection;

class PlanForm : public QWidget {
    Q_OBJECT

  public:
    explicit PlanForm(QWidget* parent = nullptr);

    // Everything but model and layers; the plan's single values. What is typed and no value of its
    // setting counts as usual, and is a problem().
    RunSpecification specification() const;
    QString problem() const;  // "" where there is none
    SweepText sweep() const;
    // Fills all fields; not announced by changed().
    void setPlan(const RunSpecification& specification, const SweepText& sweep);

  signals:
    // By the user. what: the field, as the step back is called.
    void changed(const QString& what);
    void paperRequested();                // the paper's settings; the form has not taken them
    void effortRequested(Effort effort);  // likewise

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeFields();
    void addSettings(QFormLayout* plan);
    QWidget* makeRemoved(SliderSpin* cr);
    QWidget* makeHelpCard();
    void take(const QString& what);
    void enableWhatCounts();
    QString writeTo(RunSpecification& plan) const;  // problem()

    PlanHelp* m_help;
    QScrollArea* m_scroll;  // with all fields
    QHBoxLayout* m_helpRow;
    MethodSection* m_method;
    SettingFields* m_settings;
    CalibrationSection* m_calibration;
    SweepSection* m_sweep;
    bool m_quiet = false;
};

}  // namespace cospadi::ui
