// What a plan's model reads to find out which directions of a layer's input matter: a text, and how
// much of it.
#pragma once

#include "core/store/run_specification.h"
#include "ui/pages/plan/plan_section.h"

namespace cospadi::ui {

class SettingFields;

class CalibrationSection : public PlanSection {
    Q_OBJECT

  public:
    CalibrationSection(QFormLayout* form, SettingFields* settings, PlanHelp* help, QObject* parent);

    void writeTo(RunSpecification& plan) const;
    void show(const RunSpecification& plan);
    void enableWhatCounts(const RunSpecification& plan);

  private:
    void browse();

    QLineEdit* m_text;
    QSpinBox* m_sequences;
    QSpinBox* m_length;
    QSpinBox* m_seed;
};

}  // namespace cospadi::ui
