#include "ui/pages/plan_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QThread>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/dictionary/budget.h"
#include "core/methods/compress_matrix.h"
#include "core/pipeline/cost_estimate.h"
#include "core/pipeline/resolve_specification.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/models/job_table_model.h"
#include "ui/models/layer_selection.h"
#include "ui/widgets/bytes_bar.h"
#include "ui/widgets/card.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

constexpr qint64 kOneGesture = 800;  // ms: changes of one field closer than this are one step back

bool isSparse(const RunSpecification& plan) { return plan.method.rfind("cospadi", 0) == 0; }
bool isWhitened(const RunSpecification& plan) {
    return plan.method == "cospadi" || plan.method == "svd-llm";
}

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
    right->addWidget(makeCostCard());
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

Card* PlanPanel::makeCostCard() {
    auto* card = new Card(tr("What it costs"));
    m_layerFigures = new QLabel;
    m_layerFigures->setObjectName(QStringLiteral("layerFigures"));
    m_layerFigures->setTextFormat(Qt::RichText);
    m_layerFigures->setWordWrap(true);
    m_layerFigures->setToolTip(
        tr("For the layer under the cursor in the tree:\n"
           "k = atoms (columns of the dictionary D), s = non-zeros in each\n"
           "column of the codes S, so that W ≈ D S"));
    m_totalFigures = new QLabel;
    m_totalFigures->setObjectName(QStringLiteral("totalFigures"));
    m_totalFigures->setTextFormat(Qt::RichText);
    m_totalFigures->setWordWrap(true);
    m_bar = new BytesBar;
    m_bar->setAccessibleName(tr("Bytes of the plan"));
    m_prediction = new QLabel;
    m_prediction->setObjectName(QStringLiteral("prediction"));
    m_prediction->setTextFormat(Qt::RichText);
    m_prediction->setWordWrap(true);
    m_prediction->setToolTip(
        tr("Counted from the solver's operations, at the rate of this machine's finished runs of\n"
           "the same method where there are any. Memory: the model in float32 and the matrices in\n"
           "work, one a core."));
    card->body()->addWidget(m_totalFigures);
    card->body()->addWidget(m_bar);
    card->body()->addWidget(m_layerFigures);
    card->body()->addWidget(m_prediction);
    card->body()->addStretch();
    return card;
}

Card* PlanPanel::makeJobsCard() {
    m_jobsCard = new Card(tr("Runs of this plan"));
    m_jobModel = new JobTableModel(this);
    m_jobTable = new QTableView;
    m_jobTable->setObjectName(QStringLiteral("jobTable"));
    m_jobTable->setAccessibleName(tr("Runs of this plan"));
    m_jobTable->setModel(m_jobModel);
    m_jobTable->setSelectionMode(QAbstractItemView::NoSelection);
    m_jobTable->setAlternatingRowColors(true);
    m_jobTable->setShowGrid(false);
    m_jobTable->verticalHeader()->hide();
    m_jobTable->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_jobTable->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_jobTable->horizontalHeader()->setSectionResizeMode(JobTableModel::MethodColumn,
                                                         QHeaderView::Stretch);
    for (const int column : {JobTableModel::StateColumn, JobTableModel::LayersColumn}) {
        m_jobTable->setColumnHidden(column, true);
    }
    m_jobTable->setMinimumHeight(90);
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
    m_sinceChange.invalidate();
    m_sinceChange.start();
    const State before = state();
    apply({specification, sweep});
    const State after = state();
    if (!equal(before.specification, after.specification) || !(before.sweep == after.sweep)) {
        m_undo->push(new Change(this, before, after, tr("taking over a plan"), false));
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
    choose(m_accounting, name(s.accounting));
    choose(m_side, s.side);
    choose(m_allocation, s.allocation);
    choose(m_propagation, s.propagation);
    choose(m_init, s.init);
    choose(m_update, s.update);
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
    const bool sparse = isSparse(plan);
    const bool ksvd = sparse && plan.solver == "ksvd";
    for (QWidget* field : std::initializer_list<QWidget*>{m_solver, m_rho, m_accounting, m_bits,
                                                          m_iterations, m_tolerance, m_seed,
                                                          m_rhoList, m_iterationList, m_seedList}) {
        field->setEnabled(sparse);
    }
    for (QWidget* field : std::initializer_list<QWidget*>{m_powerIterations, m_init, m_update}) {
        field->setEnabled(ksvd);
    }
    m_side->setEnabled(sparse && !ksvd);
    for (QWidget* field : std::initializer_list<QWidget*>{m_allocation, m_propagation, m_text,
                                                          m_sequences, m_length}) {
        field->setEnabled(isWhitened(plan));
    }
    showFigures();
}

RunSpecification PlanPanel::specification() const {
    RunSpecification plan;
    plan.method = m_method->currentData().toString().toStdString();
    plan.solver = m_solver->currentData().toString().toStdString();
    plan.cr = m_cr->value();
    plan.rho = m_rho->value();
    plan.accounting = accountingFromName(m_accounting->currentData().toString().toStdString());
    plan.side = m_side->currentData().toString().toStdString();
    plan.allocation =
        isWhitened(plan) ? m_allocation->currentData().toString().toStdString() : "uniform";
    plan.propagation =
        isWhitened(plan) ? m_propagation->currentData().toString().toStdString() : "off";
    plan.init = m_init->currentData().toString().toStdString();
    plan.update = m_update->currentData().toString().toStdString();
    if (plan.solver == "ksvd" && plan.side == "output") {
        plan.side = "auto";  // K-SVD works on the input side only
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
    m_selected.clear();
    m_all = layers;
    m_parameters = modelParameters;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (checked[static_cast<int>(i)]) {
            m_selected.push_back(layers[i]);
        }
    }
    m_highlighted = highlighted != nullptr ? *highlighted : LayerInfo{};
    showFigures();
}

void PlanPanel::setHistory(const std::vector<RunRow>& runs) {
    m_history = runs;
    showFigures();
}

namespace {

struct Bytes {
    double dictionary = 0;
    double values = 0;
    double mask = 0;
    double total = 0;
    double dense = 0;
};

// Throws Error where a layer has no budget.
Bytes bytesOf(const RunSpecification& plan, const std::vector<LayerInfo>& layers) {
    Bytes bytes;
    for (const LayerInfo& layer : layers) {
        if (isSparse(plan)) {
            const SparseBudget budget = sparseBudgetOf(matrixOptionsOf(plan), layer.d1, layer.d2);
            bytes.dictionary += budget.dictionaryBytes();
            bytes.values += budget.valueBytes();
            bytes.mask += budget.maskBytes();
            bytes.total += budget.totalBytes();
            bytes.dense += budget.denseBytes();
        } else {
            const LowRankBudget budget = lowRankBudget(layer.d1, layer.d2, plan.cr);
            bytes.total += budget.totalBytes();
            bytes.dense += budget.denseBytes();
        }
    }
    return bytes;
}

}  // namespace

void PlanPanel::showFigures() {
    const RunSpecification plan = specification();
    m_problem = m_selected.empty() ? tr("Select at least one layer on the Model page") : QString();
    const Sweep jobs = expandSweep(plan, sweep());
    if (m_problem.isEmpty()) {
        m_problem = jobs.problem;
    }
    m_jobs.clear();
    Bytes bytes;
    try {
        bytes = bytesOf(plan, m_selected);
        showHighlighted(plan);
        for (const RunSpecification& job : jobs.jobs) {
            Job next;
            next.specification = job;
            next.bytes = bytesOf(job, m_selected).total;
            next.seconds = predictedSeconds(job);
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
        m_bar->clear();
        m_totalFigures->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                                    .arg(theme().warning.name(), m_problem.toHtmlEscaped()));
    } else {
        m_totalFigures->setText(tr("<b>%1</b> of %2 dense (bf16) in the %3 selected layers")
                                    .arg(formatBytes(bytes.total), formatBytes(bytes.dense))
                                    .arg(m_selected.size()));
        if (isSparse(plan)) {
            m_bar->setParts({{tr("dictionary"), bytes.dictionary, theme().dictionary},
                             {tr("values"), bytes.values, theme().values},
                             {tr("mask"), bytes.mask, theme().mask}},
                            bytes.dense);
        } else {
            m_bar->setParts({{tr("two factors"), bytes.total, theme().dictionary}}, bytes.dense);
        }
    }
    showPrediction();
    emit changed();
}

void PlanPanel::showHighlighted(const RunSpecification& plan) {
    const LayerInfo& layer = m_highlighted;
    if (layer.d1 <= 0) {
        m_layerFigures->clear();
        return;
    }
    const QString about = QStringLiteral("<span style='color:%1'>%2 (%3 × %4):</span> ")
                              .arg(theme().muted.name(), QString::fromStdString(layer.name))
                              .arg(layer.d1)
                              .arg(layer.d2);
    if (isSparse(plan)) {
        const SparseBudget budget = sparseBudgetOf(matrixOptionsOf(plan), layer.d1, layer.d2);
        const bool outputs =
            sideOf(matrixOptionsOf(plan), layer.d1, layer.d2) == DictionarySide::Output;
        m_layerFigures->setText(
            about +
            tr("<b>k = %1</b>, <b>s = %2</b>, %3-bit values%4")
                .arg(budget.k)
                .arg(budget.s)
                .arg(plan.coefficientBits > 0 ? plan.coefficientBits : budget.coefficientBits)
                .arg(outputs ? tr(", dictionary over the outputs") : QString()));
    } else {
        const LowRankBudget budget = lowRankBudget(layer.d1, layer.d2, plan.cr);
        m_layerFigures->setText(about + tr("<b>rank r = %1</b>").arg(budget.rank));
    }
}

double PlanPanel::rateOf(const RunSpecification& plan) const {
    // The latest finished run of the same method and solver on layers of this model.
    for (const RunRow& run : m_history) {
        if (run.status != "finished" || run.method != plan.method || !(run.seconds > 0.5) ||
            (isSparse(plan) && run.solver != plan.solver)) {
            continue;
        }
        try {
            const RunSpecification done =
                runSpecificationFromJson(nlohmann::json::parse(run.specification));
            const RegexMatch match = matchLayers(m_all, QString::fromStdString(done.layers));
            double work = 0;
            std::int64_t found = 0;
            for (std::size_t i = 0; i < m_all.size(); ++i) {
                if (match.matched[static_cast<int>(i)]) {
                    work += solverWork(done, m_all[i]);
                    ++found;
                }
            }
            if (work > 0 && found == run.matrices) {
                return work / run.seconds;
            }
        } catch (const std::exception&) {
            // of an older program: no help
        }
    }
    return usualRate(plan) * QThread::idealThreadCount();
}

double PlanPanel::predictedSeconds(const RunSpecification& plan) const {
    return solverWork(plan, m_selected) / rateOf(plan);
}

void PlanPanel::showPrediction() {
    if (!m_problem.isEmpty() || m_jobs.isEmpty()) {
        m_prediction->clear();
        m_jobsCard->setNote({});
        return;
    }
    const RunSpecification plan = specification();
    double seconds = 0;
    for (const Job& job : m_jobs) {
        seconds += std::max(0.0, job.seconds);
    }
    QString text =
        tr("about <b>%1</b> on this machine, <b>%2</b> of memory")
            .arg(formatDuration(seconds), formatBytes(memoryEstimate(plan, m_selected, m_parameters,
                                                                     QThread::idealThreadCount())));
    if (isWhitened(plan)) {
        const double rate = usualCalibrationRate() * QThread::idealThreadCount();
        const bool propagates = plan.propagation != "off";
        const double work =
            propagates ? propagationWork(plan, m_all) : calibrationWork(plan.calibration, m_all);
        text += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg(theme().muted.name(),
                         (propagates ? tr("plus about %1 along the forward pass")
                                     : tr("plus about %1 of calibration, the first time with "
                                          "this text"))
                             .arg(formatDuration(work / rate)));
    }
    m_prediction->setText(text);
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
