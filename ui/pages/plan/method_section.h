// The plan's method: which, by which solver, with the options that it alone has; or everything as
// the paper has it.
#pragma once

#include "core/store/effort.h"
#include "core/store/run_specification.h"
#include "ui/pages/plan/plan_section.h"

class QPushButton;

namespace cospadi::ui {

class OwnOptionFields;

class MethodSection : public PlanSection {
    Q_OBJECT

  public:
    MethodSection(QFormLayout* form, PlanHelp* help, QObject* parent);

    void writeTo(RunSpecification& plan) const;
    void show(const RunSpecification& plan);
    void enableWhatCounts(const RunSpecification& plan);

  signals:
    void paperRequested();
    void effortRequested(Effort effort);

  private:
    void makePaper();
    void makeMethod();

    QPushButton* m_paper;  // asks for the paper's settings
    QComboBox* m_effort;   // tells of which effort the plan is, and asks for another
    QComboBox* m_method;
    QComboBox* m_solver;
    OwnOptionFields* m_ownOptions;
};

}  // namespace cospadi::ui
