#include "ui/pages/plan/solver_section.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <limits>

#include "core/methods/allocation_words.h"
#include "core/methods/method.h"
#include "core/store/shared_settings.h"
#include "ui/base/engine_words.h"
#include "ui/base/help_words.h"

namespace cospadi::ui {

SolverSection::SolverSection(QFormLayout* form, PlanHelp* help, QObject* parent)
    : PlanSection(form, help, parent) {
    makeDictionary();
    makePropagation();
    makeKsvd();
    makeSteps();
    makeRefinement();
}

void SolverSection::makeDictionary() {
    m_side = makeChoice(
        {"side", tr("Side of the dictionary"), tr("Side of the dictionary"),
         tr("inputs: W ≈ D S as in the paper, a sparse code for every output. outputs: the "
            "transpose, a sparse code for every input; layers with fewer outputs than inputs "
            "get far more atoms for their bytes. K-SVD stays with the inputs, or has the outputs "
            "without calibration.")},
        {{tr("shorter side"), "auto",
          tr("The inputs or the outputs of a layer, whichever are fewer")},
         {tr("inputs (paper)"), "input", tr("W ≈ D S with atoms over the inputs")},
         {tr("outputs"), "output", tr("W ≈ (D S)ᵀ with atoms over the outputs")}},
        tr("dictionary"));
    QList<FieldChoice> rules;
    for (const AllocationWords& words : allocationWords()) {
        rules.append({engineWords(words.title), words.name,
                      helpWords(words.summary) +
                          (*words.source != 0 ? QString(" (%1)").arg(words.source) : QString())});
    }
    m_allocation = makeChoice(
        {"allocation", tr("Allocation of bytes"), tr("Allocation of bytes"),
         tr("same CR for all: the paper. by sensitivity: a short trial measures what an error "
            "of each matrix costs the model's predictions, and a knapsack shares the same "
            "bytes accordingly; takes a few minutes more. The rules of other methods share the "
            "same bytes by the weights themselves, their spectra or errors.")},
        rules, tr("dictionary"));
    form()->addRow(tr("Dictionary"), inRow({m_side, m_allocation}));
}

void SolverSection::makePropagation() {
    m_propagation = makeChoice(
        {"propagation", tr("Error propagation"), tr("Error propagation"),
         tr("off: the inputs X of the original model, as in the paper. compressed inputs: X' "
            "of the model compressed so far. errors made up for: X' as well, and the weight "
            "that brings the layer's output closest to the original's, so that later layers "
            "mend errors of earlier ones. Both take a few forward passes more.")},
        {{tr("off (paper)"), "off",
          tr("Every layer is fitted to the inputs of the original model")},
         {tr("compressed inputs"), "input",
          tr("Layers in forward order, fitted to the inputs that those before leave")},
         {tr("errors made up for"), "target", tr("And to the outputs of the original model")}},
        tr("dictionary"));
    form()->addRow(tr("Propagation"), m_propagation);
    m_ridge = makeFraction(
        {"ridge", tr("Ridge on the Gram"), tr("Ridge"),
         tr("Added to the Gram's diagonal, times its mean: inputs that the calibration text hardly "
            "holds keep some weight. none: as in the paper. Errors are told in the Gram as it "
            "is.")},
        1, 0.001, tr("ridge"));
    m_ridge->setSpecialValueText(tr("none"));
    form()->addRow(tr("Ridge"), m_ridge);
}

void SolverSection::makeKsvd() {
    m_init = makeChoice(
        {"init", tr("Start of K-SVD"), tr("Start of the dictionary (Algorithm 1)"),
         tr("K-SVD: the first whitened dictionary: random columns of the whitened weight W_L, "
            "those of the weight W (the paper), random directions, or singular vectors.")},
        {{tr("columns of W_L"), "random", tr("Random columns of the whitened weight")},
         {tr("columns of W"), "weight",
          tr("Random columns of the weight as it came, as in the paper")},
         {tr("Gaussian"), "gaussian", tr("Random directions")},
         {tr("SVD"), "svd", tr("Leading left singular vectors, then columns")}},
        tr("dictionary"));
    m_update = makeChoice(
        {"update", tr("Dictionary update of K-SVD"), tr("Dictionary update (Algorithm 1)"),
         tr("K-SVD: atom by atom, by power iterations (paper), an exact SVD or one of a random "
            "sketch; MOD, all atoms at once by least squares; or online, atoms in turn after each "
            "batch of columns.")},
        {{tr("power iterations"), "ksvd", tr("As in the paper")},
         {tr("exact SVD"), "ksvd-exact", tr("A full SVD for each atom")},
         {tr("randomised SVD"), "ksvd-randomized", tr("An SVD of eight random directions")},
         {tr("MOD"), "mod", tr("Least squares over all atoms at once")},
         {tr("online"), "online", tr("Atoms in turn after each of four batches of columns")}},
        tr("dictionary"));
    m_coder = makeChoice(
        {"coder", tr("Coder of K-SVD"), tr("Coder (Algorithm 1)"),
         tr("K-SVD: how the columns are coded given the dictionary: by orthogonal matching "
            "pursuit (the paper), or by the LASSO, whose coefficients are shrunk.")},
        {{tr("OMP"), "omp", tr("Orthogonal matching pursuit, as in the paper")},
         {tr("LASSO"), "lasso", tr("The LASSO's path to as many atoms as a column may have")}},
        tr("dictionary"));
    form()->addRow(tr("K-SVD"), inRow({m_init, m_update, m_coder}));
    m_deadAtoms = makeChoice(
        {"deadAtoms", tr("Atoms without use"), tr("Dead atoms (Algorithm 1)"),
         tr("K-SVD: what happens to an atom that no column uses after coding. Replaced: it gets "
            "the direction of a column that is coded worst. Kept: left alone, as in the "
            "paper.")},
        {{tr("dead atoms replaced"), "replace",
          tr("By the direction of a column that is coded worst")},
         {tr("dead atoms kept"), "keep", tr("As in the paper")}},
        tr("dictionary"));
    m_rounding = makeChoice(
        {"rounding", tr("Rounding of coefficients"), tr("Rounding of coefficients (§4.2.1)"),
         tr("K-SVD: how a coefficient gets fewer than 16 bits. Rounded: the nearest value. "
            "Truncated: bf16 with its lowest bits cut off, as in the paper; twice the error of "
            "rounding.")},
        {{tr("codes rounded"), "nearest", tr("To the nearest stored value")},
         {tr("codes truncated"), "truncate",
          tr("The lowest bits of bf16 cut off, as in the paper")}},
        tr("dictionary"));
    form()->addRow(QString(), inRow({m_deadAtoms, m_rounding}));
}

void SolverSection::makeSteps() {
    const RunSpecification defaults;
    m_iterations =
        makeSpin({"iterations", tr("Iterations"), tr("Iterations T (Algorithm 1)"),
                  tr("Of coding and dictionary update. default: 60 for K-SVD as in the paper, 22 "
                     "for fast, 20 for COMPOT.")},
                 0, 1000, 0, tr("iterations"));
    m_iterations->setSpecialValueText(tr("default"));
    m_powerIterations =
        makeSpin({"powerIterations", tr("Power iterations"), tr("Power iterations (Algorithm 1)"),
                  tr("K-SVD: steps that find an atom's leading singular pair; the paper uses 8. "
                     "exact: a full SVD for each atom.")},
                 0, 64, defaults.powerIterations, tr("power iterations"));
    m_powerIterations->setSpecialValueText(tr("exact"));
    form()->addRow(tr("Iterations"),
                   inRow({m_iterations, new QLabel(tr("power steps")), m_powerIterations}));
    m_tolerance =
        makeFraction({"tolerance", tr("Tolerance"), tr("Tolerance"),
                      tr("Stops a matrix when its error improves by less than this fraction in an "
                         "iteration. never: all iterations are done.")},
                     0.1, 0.0005, tr("tolerance"));
    m_tolerance->setSpecialValueText(tr("never"));
    m_seed =
        makeSpin({"seed", tr("Seed"), tr("Seed"),
                  tr("Of every random choice: equal plans give equal files. The paper uses "
                     "42.")},
                 0, std::numeric_limits<int>::max(), static_cast<int>(defaults.seed), tr("seed"));
    form()->addRow(tr("Stop at gains <"), inRow({m_tolerance, new QLabel(tr("seed")), m_seed}));
}

void SolverSection::makeRefinement() {
    m_refine = makeSpin(
        {"refine", tr("Refinement"), tr("Refinement by the predictions"),
         tr("When all layers are solved, their factors are moved together, at the same bytes, "
            "until the model predicts what the original predicts on so many sequences of the "
            "calibration "
            "text. An eighth of them is held out and tells what was gained. 128 is usual; takes "
            "some five forward passes over the sequences. none: as published.")},
        0, 100000, 0, tr("refinement"));
    m_refine->setSingleStep(64);
    m_refine->setSpecialValueText(tr("none"));
    m_refineRate =
        makeFraction({"refineRate", tr("Refinement rate"), tr("Rate of the refinement"),
                      tr("How far a step moves an entry, in sizes of its atom; it falls to 0 over "
                         "the text. 0.0005 is usual.")},
                     1, 0.0001, tr("refinement rate"));
    m_refineRate->setValue(RunSpecification{}.refineRate);
    form()->addRow(tr("Refinement"),
                   inRow({m_refine, new QLabel(tr("sequences, rate")), m_refineRate}));
}

// From 0 on.
QDoubleSpinBox* SolverSection::makeFraction(const FieldWords& words, double greatest, double step,
                                            const QString& what) {
    auto* spin = new QDoubleSpinBox;
    spin->setRange(0, greatest);
    spin->setDecimals(5);
    spin->setSingleStep(step);
    keepUnselected(spin);
    nameAndExplain(spin, words);
    connect(spin, &QDoubleSpinBox::valueChanged, this, [this, what] { emit changed(what); });
    return spin;
}

void SolverSection::writeTo(RunSpecification& plan) const {
    const Method& method = methodOf(plan);
    setSetting(plan, "side", chosen(m_side));
    if (plan.solver == Solver::Ksvd && plan.side == DictionarySide::Output && isCalibrated(plan)) {
        plan.side.reset();  // where K-SVD has no dictionary
    }
    for (const auto& [setting, box] :
         {std::pair("allocation", m_allocation), {"propagation", m_propagation}}) {
        if (method.uses(setting)) {
            setSetting(plan, setting, chosen(box));
        }
    }
    setSetting(plan, "init", chosen(m_init));
    setSetting(plan, "update", chosen(m_update));
    setSetting(plan, "coder", chosen(m_coder));
    setSetting(plan, "dead_atoms", chosen(m_deadAtoms));
    setSetting(plan, "coefficient_rounding", chosen(m_rounding));
    plan.iterations = m_iterations->value();
    plan.powerIterations = m_powerIterations->value();
    plan.ridge = m_ridge->value();
    plan.tolerance = m_tolerance->value();
    plan.seed = static_cast<std::uint64_t>(m_seed->value());
    if (method.uses("refine")) {
        plan.refine = m_refine->value();
        plan.refineRate = plan.refine > 0 ? m_refineRate->value() : plan.refineRate;
    }
}

void SolverSection::show(const RunSpecification& plan) {
    choose(m_side, wordOf(plan, "side"));
    choose(m_allocation, wordOf(plan, "allocation"));
    choose(m_propagation, wordOf(plan, "propagation"));
    choose(m_init, wordOf(plan, "init"));
    choose(m_update, wordOf(plan, "update"));
    choose(m_coder, wordOf(plan, "coder"));
    choose(m_deadAtoms, wordOf(plan, "dead_atoms"));
    choose(m_rounding, wordOf(plan, "coefficient_rounding"));
    m_iterations->setValue(plan.iterations);
    m_powerIterations->setValue(plan.powerIterations);
    m_ridge->setValue(plan.ridge);
    m_tolerance->setValue(plan.tolerance);
    m_seed->setValue(static_cast<int>(plan.seed));
    m_refine->setValue(plan.refine);
    m_refineRate->setValue(plan.refineRate);
}

void SolverSection::enableWhatCounts(const RunSpecification& plan) {
    const Method& method = methodOf(plan);
    const bool ksvd = method.uses("solver") && plan.solver == Solver::Ksvd;
    enable({m_side}, method.uses("side") && !(ksvd && isCalibrated(plan)));
    enable({m_allocation}, method.uses("allocation") && hasRatio(plan));
    enable({m_propagation}, method.uses("propagation"));
    enable({m_init, m_update, m_coder, m_deadAtoms, m_powerIterations}, ksvd);
    enable({m_rounding}, method.uses("coefficient_rounding") &&
                             plan.coefficientFormat != CoefficientFormat::ShortExponent &&
                             (ksvd || plan.coefficientFormat == CoefficientFormat::ShortMantissa));
    enable({m_iterations}, method.uses("iterations"));
    enable({m_ridge}, method.uses("ridge"));
    enable({m_tolerance}, method.uses("tolerance"));
    enable({m_seed}, method.uses("seed"));
    enable({m_refine}, method.uses("refine"));
    enable({m_refineRate}, method.uses("refine") && plan.refine > 0);
}

}  // namespace cospadi::ui
