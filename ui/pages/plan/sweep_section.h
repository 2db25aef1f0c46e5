// Lists of values in a plan's form, which make it many runs, and what follows each of its runs.
#pragma once

#include "core/store/run_specification.h"
#include "ui/models/sweep.h"
#include "ui/pages/plan/plan_section.h"

namespace cospadi::ui {

class SweepSection : public PlanSection {
    Q_OBJECT

  public:
    SweepSection(QFormLayout* form, PlanHelp* help, QObject* parent);

    SweepText text() const;
    void show(const SweepText& text);
    void enableWhatCounts(const RunSpecification& plan);

  private:
    QLineEdit* makeList(const char* name, const QString& example, const QString& what);
    void makeMeasures();

    QLineEdit* m_cr;
    QLineEdit* m_rho;
    QLineEdit* m_iterations;
    QLineEdit* m_seeds;
    QLineEdit* m_name;
    QCheckBox* m_perplexity;
    QLineEdit* m_tasks;
};

}  // namespace cospadi::ui
