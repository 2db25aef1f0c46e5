#include "ui/pages/plan/plan_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/store/paper_preset.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/models/job_table_model.h"
#include "ui/pages/plan/method_options_form.h"
#include "ui/pages/plan/plan_cost_card.h"
#include "ui/widgets/card.h"
#include "ui/widgets/row_table.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

constexpr qint64 kOneGesture = 800;  // ms: changes of one field closer than this are one step back

bool equal(const RunSpecification& a, const RunSpecification& b) { return toJson(a) == toJson(b); }

}  // namespace

// One step of the undo stack: the whole plan before and after, which is small.
class PlanPanel::Change : public QUndoCommand {
  public:
    Change(PlanPanel* panel, State before, State after, const QString& what, bool sameGesture)
        : m_panel(panel),
          m_before(std::move(before)),
          m_after(std::move(after)),
          m_sameGesture(sameGesture) {
        setText(what);
    }

    int id() const override { return 1; }

    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const Change*>(other);
        if (!next->m_sameGesture || next->text() != text()) {
            return false;
        }
        m_after = next->m_after;
        return true;
    }

    void undo() override { m_panel->apply(m_before); }
    void redo() override {
        if (!m_first) {
            m_panel->apply(m_after);
        }
        m_first = false;
    }

  private:
    PlanPanel* m_panel;
    State m_before;
    State m_after;
    bool m_sameGesture;
    bool m_first = true;  // push() calls redo(), but the fields already stand so
};

PlanPanel::PlanPanel(QWidget* parent) : QWidget(parent), m_undo(new QUndoStack(this)) {
    m_help = new QLabel;
    m_help->setObjectName(QStringLiteral("planHelp"));
    m_help->setWordWrap(true);
    m_help->setTextFormat(Qt::RichText);
    m_help->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_help->setText(tr("Point at a field, or move into it, to see what it means in the paper."));
    auto* left = makeForm();
    auto* right = new QSplitter(Qt::Vertical);
    m_cost = new PlanCostCard;
    right->addWidget(m_cost);
    right->addWidget(makeJobsCard());
    right->setHandleWidth(8);
    right->setChildrenCollapsible(false);
    right->setStretchFactor(1, 1);
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->setObjectName(QStringLiteral("planSplitter"));
    whole->addWidget(left);
    whole->addWidget(right);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    whole->setSizes({460, 620});
    whole->setStretchFactor(1, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(whole);
    m_last = state();
    m_sinceChange.start();
    enableWhatCounts();
}

Card* PlanPanel::makeJobsCard() {
    m_jobsCard = new Card(tr("Runs of this plan"));
    m_jobModel = new JobTableModel(this);
    m_jobTable = makeRowTable(QStringLiteral("jobTable"), tr("Runs of this plan"), m_jobModel);
    m_jobTable->setSelectionMode(QAbstractItemView::NoSelection);
    fitColumns(*m_jobTable, JobTableModel::MethodColumn);
    for (const int column : {JobTableModel::StateColumn, JobTableModel::LayersColumn}) {
        m_jobTable->setColumnHidden(column, true);
    }
    m_jobsCard->body()->addWidget(m_jobTable, 1);
    return m_jobsCard;
}

void PlanPanel::take(const QString& what) {
    if (m_applying) {
        return;
    }
    const State now = state();
    if (!equal(now.specification, m_last.specification) || !(now.sweep == m_last.sweep)) {
        const bool sameGesture = m_sinceChange.restart() < kOneGesture;
        m_undo->push(new Change(this, m_last, now, what, sameGesture));
        m_last = now;
    }
    enableWhatCounts();
}

void PlanPanel::setSpecification(const RunSpecification& specification, const SweepText& sweep) {
    takeOver({specification, sweep}, tr("taking over a plan"));
}

void PlanPanel::takePaper() {
    RunSpecification paper = presetSpecification("paper");
    paper.cr = m_cr->value();
    takeOver({paper, {m_crList->text().trimmed(), {}, {}, {}}}, tr("the paper's settings"));
}

void PlanPanel::takeOver(const State& state, const QString& what) {
    m_sinceChange.invalidate();
    m_sinceChange.start();
    const State before = this->state();
    apply(state);
    const State after = this->state();
    if (!equal(before.specification, after.specification) || !(before.sweep == after.sweep)) {
        m_undo->push(new Change(this, before, after, what, false));
    }
}

void PlanPanel::apply(const State& state) {
    m_applying = true;
    const RunSpecification& s = state.specification;
    const auto choose = [](QComboBox* box, const std::string& value) {
        box->setCurrentIndex(std::max(0, box->findData(QString::fromStdString(value))));
    };
    choose(m_method, s.method);
    choose(m_solver, s.solver);
    if (const auto own = m_ownOptions.find(&methodOf(s)); own != m_ownOptions.end()) {
        own->second->setValues(s.own);
    }
    choose(m_accounting, name(s.accounting));
    choose(m_format, s.coefficientFormat);
    choose(m_refit, s.refit);
    choose(m_side, s.side);
    choose(m_allocation, s.allocation);
    choose(m_propagation, s.propagation);
    choose(m_init, s.init);
    choose(m_update, s.update);
    choose(m_deadAtoms, s.deadAtoms);
    choose(m_rounding, s.coefficientRounding);
    m_cr->setValue(s.cr);
    m_rho->setValue(s.rho);
    m_bits->setValue(s.coefficientBits > 0 ? s.coefficientBits : m_bits->minimum());
    m_iterations->setValue(s.iterations);
    m_powerIterations->setValue(s.powerIterations);
    m_tolerance->setValue(s.tolerance);
    m_seed->setValue(static_cast<int>(s.seed));
    m_text->setText(QString::fromStdString(s.calibration.text));
    m_sequences->setValue(static_cast<int>(s.calibration.sequences));
    m_length->setValue(static_cast<int>(s.calibration.length));
    m_crList->setText(state.sweep.cr);
    m_rhoList->setText(state.sweep.rho);
    m_iterationList->setText(state.sweep.iterations);
    m_seedList->setText(state.sweep.seed);
    m_applying = false;
    m_last = this->state();
    enableWhatCounts();
}

void PlanPanel::enableWhatCounts() {
    const RunSpecification plan = specification();
    const Method& method = methodOf(plan);
    const bool ksvd = method.uses("solver") && plan.solver == "ksvd";
    const auto enable = [&](const char* setting, std::initializer_list<QWidget*> fields) {
        for (QWidget* field : fields) {
            field->setEnabled(method.uses(setting));
        }
    };
    enable("solver", {m_solver});
    enable("cr", {m_cr, m_crList});
    enable("rho", {m_rho, m_rhoList});
    enable("accounting", {m_accounting});
    enable("refit", {m_refit});
    enable("iterations", {m_iterations, m_iterationList});
    enable("tolerance", {m_tolerance});
    enable("seed", {m_seed, m_seedList});
    enable("allocation", {m_allocation});
    enable("propagation", {m_propagation});
    for (QWidget* field : std::initializer_list<QWidget*>{m_bits, m_format}) {
        field->setEnabled(method.uses("coefficient_bits") &&
                          (method.uses("rho") || isPacked(plan.accounting)));
    }
    for (QWidget* field :
         std::initializer_list<QWidget*>{m_powerIterations, m_init, m_update, m_deadAtoms}) {
        field->setEnabled(ksvd);
    }
    m_rounding->setEnabled(method.uses("coefficient_rounding") &&
                           plan.coefficientFormat != "exponent" &&
                           (ksvd || plan.coefficientFormat == "mantissa"));
    m_side->setEnabled(method.uses("side") && !(ksvd && isCalibrated(plan)));
    for (QWidget* field : std::initializer_list<QWidget*>{m_text, m_sequences, m_length}) {
        field->setEnabled(isCalibrated(plan));
    }
    for (const auto& [owner, form] : m_ownOptions) {
        form->setVisible(owner == &method);
    }
    const bool paper = isPaper(plan);
    m_paper->setEnabled(!paper);
    m_paper->setText(paper ? tr("These are the paper's settings") : tr("Use the paper's settings"));
    showFigures();
}

RunSpecification PlanPanel::specification() const {
    RunSpecification plan;
    plan.method = m_method->currentData().toString().toStdString();
    plan.solver = m_solver->currentData().toString().toStdString();
    if (const auto own = m_ownOptions.find(&methodOf(plan)); own != m_ownOptions.end()) {
        plan.own = own->second->values();
    }
    plan.cr = m_cr->value();
    plan.rho = m_rho->value();
    plan.accounting = accountingFromName(m_accounting->currentData().toString().toStdString());
    plan.coefficientFormat = m_format->currentData().toString().toStdString();
    plan.refit = m_refit->currentData().toString().toStdString();
    plan.side = m_side->currentData().toString().toStdString();
    plan.allocation = methodOf(plan).uses("allocation")
                          ? m_allocation->currentData().toString().toStdString()
                          : "uniform";
    plan.propagation = methodOf(plan).uses("propagation")
                           ? m_propagation->currentData().toString().toStdString()
                           : "off";
    plan.init = m_init->currentData().toString().toStdString();
    plan.update = m_update->currentData().toString().toStdString();
    plan.deadAtoms = m_deadAtoms->currentData().toString().toStdString();
    plan.coefficientRounding = m_rounding->currentData().toString().toStdString();
    if (plan.solver == "ksvd" && plan.side == "output" && isCalibrated(plan)) {
        plan.side = "auto";  // where K-SVD has no dictionary
    }
    plan.coefficientBits = m_bits->value() == m_bits->minimum() ? 0 : m_bits->value();
    plan.iterations = m_iterations->value();
    plan.powerIterations = m_powerIterations->value();
    plan.tolerance = m_tolerance->value();
    plan.seed = static_cast<std::uint64_t>(m_seed->value());
    plan.calibration.text = m_text->text().trimmed().toStdString();
    plan.calibration.sequences = m_sequences->value();
    plan.calibration.length = m_length->value();
    return plan;
}

SweepText PlanPanel::sweep() const {
    return {m_crList->text().trimmed(), m_rhoList->text().trimmed(),
            m_iterationList->text().trimmed(), m_seedList->text().trimmed()};
}

void PlanPanel::setSelection(const std::vector<LayerInfo>& layers, const QVector<bool>& checked,
                             const LayerInfo* highlighted, double modelParameters) {
    std::vector<LayerInfo> selected;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (checked[static_cast<int>(i)]) {
            selected.push_back(layers[i]);
        }
    }
    m_costs.setLayers(std::move(selected), layers, modelParameters);
    m_highlighted = highlighted != nullptr ? *highlighted : LayerInfo{};
    showFigures();
}

void PlanPanel::setHistory(const std::vector<RunRow>& runs) {
    m_costs.setHistory(runs);
    showFigures();
}

void PlanPanel::showFigures() {
    const RunSpecification plan = specification();
    const std::size_t layers = m_costs.selected().size();
    const Sweep jobs = expandSweep(plan, sweep());
    m_problem = layers == 0 ? tr("Select at least one layer on the Model page") : jobs.problem;
    m_jobs.clear();
    PlanBytes bytes;
    try {
        bytes = m_costs.bytes(plan);
        m_cost->showLayer(plan, m_highlighted);
        for (const RunSpecification& job : jobs.jobs) {
            Job next;
            next.specification = job;
            next.bytes = m_costs.bytes(job).total;
            next.seconds = m_costs.seconds(job);
            next.state = QStringLiteral("planned");
            m_jobs.append(next);
        }
    } catch (const Error& error) {
        m_problem = QStringLiteral("%1: %2").arg(QString::fromStdString(error.problem()),
                                                 QString::fromStdString(error.hint()));
        m_jobs.clear();
    }
    m_jobModel->setJobs(m_jobs);
    if (!m_problem.isEmpty()) {
        m_cost->showProblem(m_problem);
    } else {
        m_cost->showBytes(bytes, layers);
    }
    showPrediction(plan);
    emit changed();
}

void PlanPanel::showPrediction(const RunSpecification& plan) {
    if (!m_problem.isEmpty() || m_jobs.isEmpty()) {
        m_cost->clearPrediction();
        m_jobsCard->setNote({});
        return;
    }
    double seconds = 0;
    for (const Job& job : m_jobs) {
        seconds += std::max(0.0, job.seconds);
    }
    m_cost->showPrediction(plan, m_costs, seconds);
    m_jobsCard->setNote(m_jobs.size() == 1 ? tr("one run; lists under Sweep make a grid")
                                           : tr("%1 runs, one after another, about %2")
                                                 .arg(m_jobs.size())
                                                 .arg(formatDuration(seconds)));
}

bool PlanPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::Enter) {
        for (QObject* at = watched; at != nullptr && at != this; at = at->parent()) {
            const QString help = at->property("help").toString();
            if (!help.isEmpty()) {
                m_help->setText(help);
                break;
            }
        }
    }
    return QWidget::eventFilter(watched, event);
}

void PlanPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_jobModel != nullptr) {
        showFigures();
    }
}

}  // namespace cospadi::ui
