#include "ui/pages/explore/explore_controls.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>

#include "core/methods/method.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/labelled_field.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

ExploreControls::ExploreControls(QWidget* parent) : QWidget(parent) {
    makeFields();
    makeButtons();
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    addLabelled(*grid, 0, 0, tr("Matrix"), m_picker);
    addLabelled(*grid, 1, 0, tr("Solver"), m_solver);
    addLabelled(*grid, 0, 2, tr("ρ = k/s"), m_rho);
    addLabelled(*grid, 1, 2, tr("CR"), m_cr);
    addLabelled(*grid, 0, 4, tr("Iterations"), m_iterations);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_state, 1);
    buttons->addWidget(m_calibrate);
    buttons->addWidget(m_stop);
    buttons->addWidget(m_use);
    buttons->addWidget(m_keep);
    grid->addLayout(buttons, 1, 4, 1, 2);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 3);
    grid->setColumnStretch(5, 3);
    connectFields();
}

void ExploreControls::makeFields() {
    m_picker = new MatrixPicker;
    m_solver = new QComboBox;
    m_solver->setObjectName(QStringLiteral("exploreSolver"));
    m_solver->setAccessibleName(tr("Solver"));
    m_solver->addItem(tr("fast"), QStringLiteral("fast"));
    m_solver->addItem(tr("K-SVD"), QStringLiteral("ksvd"));
    m_solver->setToolTip(tr("K-SVD takes minutes for a curve; fast takes seconds"));
    const RunSpecification defaults;
    m_cr = new SliderSpin(0.05, 0.9, 0.01, 2);
    m_cr->setObjectName(QStringLiteral("exploreCr"));
    m_cr->setValue(defaults.cr);
    m_cr->spin()->setAccessibleName(tr("Compression ratio"));
    m_cr->setToolTip(tr("Compression ratio γ: the fraction of storage that is removed (eq. 9)"));
    m_rho = new SliderSpin(1, 8, 0.05, 2);
    m_rho->setObjectName(QStringLiteral("exploreRhoValue"));
    m_rho->setValue(defaults.rho);
    m_rho->spin()->setAccessibleName(tr("ρ"));
    m_rho->setToolTip(tr("ρ = k/s: atoms per non-zero of a column (§3.4)"));
    m_iterations = new SliderSpin(0, 80, 1, 0);
    m_iterations->setObjectName(QStringLiteral("exploreIterationCount"));
    m_iterations->spin()->setSpecialValueText(tr("default"));
    m_iterations->spin()->setAccessibleName(tr("Iterations"));
    m_iterations->setToolTip(tr("Iterations T of the solver; fast: 22, K-SVD: 60 by default"));
}

void ExploreControls::makeButtons() {
    m_state = new ElidedLabel;
    m_state->setObjectName(QStringLiteral("muted"));
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_calibrate = new QPushButton(tr("Calibrate"));
    m_calibrate->setToolTip(
        tr("Computes and keeps the Gram matrices XᵀX of the plan's calibration text, so that "
           "errors are whitened. Takes about a minute for the default model."));
    m_calibrate->hide();
    m_stop = new QPushButton(icon(QStringLiteral("cancel")), tr("Stop"));
    m_stop->setObjectName(QStringLiteral("exploreStop"));
    m_stop->setEnabled(false);
    m_use = new QPushButton(tr("Use in plan"));
    m_use->setObjectName(QStringLiteral("exploreUse"));
    m_use->setToolTip(tr("Copies CR, ρ, solver and iterations to the plan, where they apply"));
    m_keep = new QPushButton(tr("Keep as run"));
    m_keep->setObjectName(QStringLiteral("exploreKeep"));
    m_keep->setToolTip(
        tr("Compresses the explored matrices again with these settings and stores the result as a "
           "run"));
}

void ExploreControls::connectFields() {
    connect(m_picker, &MatrixPicker::changed, this, &ExploreControls::changed);
    connect(m_solver, &QComboBox::currentIndexChanged, this, &ExploreControls::changed);
    for (SliderSpin* field : {m_cr, m_rho, m_iterations}) {
        connect(field, &SliderSpin::valueChanged, this, &ExploreControls::changed);
    }
    connect(m_stop, &QPushButton::clicked, this, &ExploreControls::stopWanted);
    connect(m_use, &QPushButton::clicked, this, &ExploreControls::planWanted);
    connect(m_keep, &QPushButton::clicked, this, &ExploreControls::runWanted);
    connect(m_calibrate, &QPushButton::clicked, this, [this] {
        m_calibrate->hide();
        m_state->showWords(tr("calibrating …"));
        emit calibrationWanted();
    });
}

void ExploreControls::take(const RunSpecification& plan) {
    const QSignalBlocker first(m_cr);
    const QSignalBlocker second(m_rho);
    m_cr->setValue(plan.cr);
    m_rho->setValue(plan.rho);
}

void ExploreControls::writeTo(RunSpecification& specification) const {
    const Method& method = *specification.method;
    if (method.uses("solver")) {
        specification.solver = solverFromName(m_solver->currentData().toString().toStdString());
    }
    specification.cr = hasRatio(specification) ? m_cr->value() : specification.cr;
    specification.autoRho = false;  // a matrix at hand has the ρ of the slider
    specification.rho = method.uses("rho") ? m_rho->value() : specification.rho;
    specification.iterations = method.uses("iterations") ? static_cast<int>(m_iterations->value())
                                                         : specification.iterations;
    specification.layers = m_picker->regex().toStdString();
}

void ExploreControls::enableWhatCounts(const RunSpecification& plan) {
    const Method& method = methodOf(plan);
    m_solver->setEnabled(method.uses("solver"));
    m_cr->setEnabled(hasRatio(plan));
    m_rho->setEnabled(method.uses("rho"));
    m_iterations->setEnabled(method.uses("iterations"));
}

void ExploreControls::showState(const QString& words) { m_state->showWords(words); }
void ExploreControls::showProblem(const QString& problem) { m_state->showProblem(problem); }

void ExploreControls::showCalibration(int done, int total, double etaSeconds) {
    m_calibrate->hide();
    const QString state = tr("calibrating: %1 of %2").arg(done).arg(total);
    m_state->showWords(
        etaSeconds < 0 ? state : tr("%1, about %2 left").arg(state, formatDuration(etaSeconds)));
}

void ExploreControls::offerCalibration(bool on) { m_calibrate->setVisible(on); }
void ExploreControls::setStoppable(bool on) { m_stop->setEnabled(on); }

}  // namespace cospadi::ui
