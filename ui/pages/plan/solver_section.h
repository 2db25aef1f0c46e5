// How what a plan keeps is found: over which side of a matrix, from which share of the bytes,
// fitted to which inputs, and the steps of the solver.
#pragma once

#include "core/store/run_specification.h"
#include "ui/pages/plan/plan_section.h"

class QDoubleSpinBox;

namespace cospadi::ui {

class SolverSection : public PlanSection {
    Q_OBJECT

  public:
    SolverSection(QFormLayout* form, PlanHelp* help, QObject* parent);

    // Precondition: plan's method and solver are those of the form.
    void writeTo(RunSpecification& plan) const;
    void show(const RunSpecification& plan);
    void enableWhatCounts(const RunSpecification& plan);

  private:
    void makeDictionary();
    void makePropagation();
    void makeKsvd();
    void makeSteps();
    void makeRefinement();
    QDoubleSpinBox* makeFraction(const FieldWords& words, double greatest, double step,
                                 const QString& what);

    QComboBox* m_side;
    QComboBox* m_allocation;
    QComboBox* m_propagation;
    QComboBox* m_init;
    QComboBox* m_update;
    QComboBox* m_coder;
    QComboBox* m_deadAtoms;
    QComboBox* m_rounding;
    QSpinBox* m_iterations;
    QSpinBox* m_powerIterations;
    QDoubleSpinBox* m_ridge;
    QDoubleSpinBox* m_tolerance;
    QSpinBox* m_seed;
    QSpinBox* m_refine;
    QDoubleSpinBox* m_refineRate;
};

}  // namespace cospadi::ui
