// The plan's method: which, by which solver; or everything as the paper, or an effort, has it.
#pragma once

#include "core/store/effort.h"
#include "core/store/run_specification.h"
#include "ui/pages/plan/plan_section.h"

class QPushButton;

namespace cospadi::ui {

class SettingFields;

class MethodSection : public PlanSection {
    Q_OBJECT

  public:
    MethodSection(QFormLayout* form, SettingFields* settings, PlanHelp* help, QObject* parent);

    void writeTo(RunSpecification& plan) const;
    void show(const RunSpecification& plan);
    void enableWhatCounts(const RunSpecification& plan);

  signals:
    void paperRequested();
    void effortRequested(Effort effort);

  private:
    void makePaper();
    void makeMethod(SettingFields* settings);

    QPushButton* m_paper;  // asks for the paper's settings
    QComboBox* m_effort;   // tells of which effort the plan is, and asks for another
    QComboBox* m_method;
};

}  // namespace cospadi::ui
