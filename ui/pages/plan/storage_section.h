// What a plan keeps of a matrix: how many bytes, shared how between atoms and non-zeros, in numbers
// of which form.
#pragma once

#include "core/store/run_specification.h"
#include "ui/pages/plan/plan_section.h"

class QLabel;

namespace cospadi::ui {

class StorageSection : public PlanSection {
    Q_OBJECT

  public:
    StorageSection(QFormLayout* form, PlanHelp* help, QObject* parent);

    void writeTo(RunSpecification& plan) const;
    void show(const RunSpecification& plan);
    void enableWhatCounts(const RunSpecification& plan);

  private:
    void makeRatios();
    void makeStorage();
    void makeRounding();

    void showRemoved();

    SliderSpin* m_cr;
    QLabel* m_removed;  // what the CR says, in words
    SliderSpin* m_rho;
    QComboBox* m_rhoChoice;
    QComboBox* m_accounting;
    QSpinBox* m_bits;
    QSpinBox* m_dictionaryBits;
    QComboBox* m_format;
    QComboBox* m_refit;
};

}  // namespace cospadi::ui
