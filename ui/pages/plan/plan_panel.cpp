#include "ui/pages/plan/plan_panel.h"

#include <QEvent>
#include <QSet>
#include <QSplitter>
#include <QTableView>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/store/paper_preset.h"
#include "core/store/run_settings.h"
#include "ui/base/format.h"
#include "ui/base/quantity_words.h"
#include "ui/models/job_table_model.h"
#include "ui/pages/plan/plan_cost_card.h"
#include "ui/pages/plan/plan_form.h"
#include "ui/widgets/card.h"
#include "ui/widgets/row_table.h"

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
    m_form = new PlanForm;
    auto* right = new QSplitter(Qt::Vertical);
    m_cost = new PlanCostCard;
    right->addWidget(m_cost);
    right->addWidget(makeJobsCard());
    right->setHandleWidth(8);
    right->setChildrenCollapsible(false);
    right->setStretchFactor(1, 1);
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->setObjectName(QStringLiteral("planSplitter"));
    whole->addWidget(m_form);
    whole->addWidget(right);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    whole->setSizes({460, 620});
    whole->setStretchFactor(1, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(whole);
    connect(m_cost, &PlanCostCard::layersWanted, this, &PlanPanel::layersWanted);
    connect(m_form, &PlanForm::changed, this, &PlanPanel::take);
    connect(m_form, &PlanForm::paperRequested, this, &PlanPanel::takePaper);
    connect(m_form, &PlanForm::effortRequested, this, &PlanPanel::takeEffort);
    m_last = state();
    m_sinceChange.start();
    showFigures();
}

Card* PlanPanel::makeJobsCard() {
    m_jobsCard = new Card(tr("Runs of this plan"));
    m_jobModel = new JobTableModel(this);
    m_jobTable = makeRowTable(QStringLiteral("jobTable"), tr("Runs of this plan"), m_jobModel);
    m_jobTable->setSelectionMode(QAbstractItemView::NoSelection);
    fitColumns(*m_jobTable, JobTableModel::MethodColumn);
    sayWhenEmpty(*m_jobTable, tr("The runs are listed here once the plan is valid."));
    for (const int column : {JobTableModel::StateColumn, JobTableModel::LayersColumn}) {
        m_jobTable->setColumnHidden(column, true);
    }
    m_jobsCard->body()->addWidget(m_jobTable, 1);
    return m_jobsCard;
}

void PlanPanel::take(const QString& what) {
    const State now = state();
    if (!equal(now.specification, m_last.specification) || !(now.sweep == m_last.sweep)) {
        const bool sameGesture = m_sinceChange.restart() < kOneGesture;
        m_undo->push(new Change(this, m_last, now, what, sameGesture));
        m_last = now;
    }
    showFigures();
}

void PlanPanel::setSpecification(const RunSpecification& specification, const SweepText& sweep) {
    takeOver({specification, sweep}, tr("loading a plan"));
}

QStringList PlanPanel::shownOtherwise(const RunSpecification& specification) const {
    RunSpecification shown = this->specification();
    shown.model = specification.model;
    shown.modelSha256 = specification.modelSha256;
    shown.layers = specification.layers;
    const auto now = settingsOf(shown);
    QStringList differences;
    for (const auto& [setting, value] : settingsOf(specification)) {
        const auto found = now.find(setting);
        const std::string other = found == now.end() ? std::string() : found->second;
        if (other != value) {
            differences << QStringLiteral("%1 %2 → %3")
                               .arg(quantityWords(setting), QString::fromStdString(value),
                                    other.empty() ? kMissing : QString::fromStdString(other));
        }
    }
    return differences;
}

void PlanPanel::takePaper() {
    RunSpecification paper = presetSpecification("paper");
    paper.cr = m_form->specification().cr;
    const SweepText now = m_form->sweep();  // what is measured of a run is none of its settings
    takeOver({paper, {now.cr, {}, {}, {}, {}, now.perplexity, now.tasks}},
             tr("the paper's settings"));
}

void PlanPanel::takeEffort(Effort effort) {
    takeOver({withEffort(m_form->specification(), effort), m_form->sweep()},
             tr("effort %1").arg(QString::fromUtf8(name(effort))));
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
    m_form->setPlan(state.specification, state.sweep);
    m_last = this->state();
    showFigures();
}

RunSpecification PlanPanel::specification() const { return m_form->specification(); }

SweepText PlanPanel::sweep() const { return m_form->sweep(); }

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

void PlanPanel::setCalibrationKept(bool isKept) {
    m_costs.setCalibrationKept(isKept);
    showFigures();
}

void PlanPanel::setRates(const MeasuredRates& rates) {
    m_costs.setRates(rates);
    showFigures();
}

void PlanPanel::showFigures() {
    const RunSpecification plan = specification();
    const std::size_t layers = m_costs.selected().size();
    const QString unread = m_form->problem();
    const Sweep jobs = unread.isEmpty() ? expandSweep(plan, sweep()) : Sweep{{}, unread};
    m_problem = layers == 0 ? tr("Select at least one layer on the Model page") : jobs.problem;
    m_jobs.clear();
    // A list stands in the place of the single value, which no run has then.
    const RunSpecification first = jobs.jobs.empty() ? plan : jobs.jobs.front();
    PlanBytes bytes;
    try {
        bytes = m_costs.bytes(first);
        if (m_highlighted.d1 > 0) {
            m_cost->showLayer(first, m_highlighted, m_costs.unitOf(first, m_highlighted));
        } else {
            m_cost->clearLayer();
        }
        for (const RunSpecification& job : jobs.jobs) {
            Job next;
            next.specification = job;
            next.bytes = m_costs.bytes(job).total;
            next.seconds = m_costs.seconds(job);
            next.state = QStringLiteral("planned");
            next.sweep = jobs.jobs.size() > 1 ? sweep().name : QString();
            next.after = jobs.after;
            m_jobs.append(next);
        }
    } catch (const Error& error) {
        m_problem = QStringLiteral("%1: %2").arg(QString::fromStdString(error.problem()),
                                                 QString::fromStdString(error.hint()));
        m_jobs.clear();
    }
    m_totals = m_problem.isEmpty() ? totalsOf(plan, bytes) : PlanTotals{};
    m_cost->setNote(m_totals.runs > 1 ? tr("sizes of the first run, time of all") : QString());
    m_jobModel->setJobs(m_jobs);
    hideWhatRunsShare();
    if (!m_problem.isEmpty()) {
        m_cost->showProblem(m_problem, layers == 0);
    } else {
        m_cost->showBytes(bytes, layers);
    }
    showPrediction(first);
    emit changed();
}

// It stands in the form already.
void PlanPanel::hideWhatRunsShare() {
    for (const int column : {JobTableModel::IterationsColumn, JobTableModel::SeedColumn}) {
        QSet<QString> values;
        for (int row = 0; row < m_jobModel->rowCount(); ++row) {
            values.insert(m_jobModel->index(row, column).data().toString());
        }
        m_jobTable->setColumnHidden(column, values.size() < 2);
    }
}

PlanTotals PlanPanel::totalsOf(const RunSpecification& plan, const PlanBytes& bytes) const {
    PlanTotals totals;
    totals.layers = m_costs.selected().size();
    totals.runs = static_cast<int>(m_jobs.size());
    totals.bytes = m_jobs.isEmpty() ? 0 : m_jobs.first().bytes;
    totals.dense = bytes.dense;
    for (const Job& job : m_jobs) {
        totals.seconds += std::max(0.0, job.seconds);
    }
    totals.calibrationSeconds = m_costs.calibrationSeconds(plan);
    return totals;
}

void PlanPanel::showPrediction(const RunSpecification& plan) {
    if (!m_problem.isEmpty() || m_jobs.isEmpty()) {
        m_cost->clearPrediction();
        m_jobsCard->setNote({});
        return;
    }
    m_cost->showPrediction(plan, m_costs, m_totals.seconds);
    m_jobsCard->setNote(m_jobs.size() == 1 ? tr("one run; lists under Sweep make a grid")
                                           : tr("%1 runs, one after another, about %2")
                                                 .arg(m_jobs.size())
                                                 .arg(formatDuration(m_totals.seconds)));
}

void PlanPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_jobModel != nullptr) {
        showFigures();
    }
}

}  // namespace cospadi::ui
