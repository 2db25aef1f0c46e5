#include "ui/pages/explore/explore_page.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/methods/method.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/models/error_words.h"
#include "ui/models/explore_curves.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/labelled_field.h"
#include "ui/widgets/slider_spin.h"

namespace cospadi::ui {

namespace {

constexpr int kSliderPatienceMilliseconds = 60;  // while a slider is dragged
constexpr int kMostEarlier = 6;

}  // namespace

ExplorePage::ExplorePage(MatrixLab* lab, QWidget* parent) : QWidget(parent), m_lab(lab) {
    m_patience.setSingleShot(true);
    m_patience.setInterval(kSliderPatienceMilliseconds);
    m_facts = new QLabel;
    m_facts->setObjectName(QStringLiteral("exploreFacts"));
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* iterations =
        makeChartCard(tr("Error by iteration"), m_iterations, "exploreIterations", tr("iteration"));
    m_iterations->setWholeX(true);
    m_iterations->setLogarithmic(true);
    showEmptyWords();
    auto* rho = makeChartCard(tr("Error by ρ"), m_byRho, "exploreRho", tr("ρ = k/s"));
    auto* bytes = makeChartCard(tr("Error by bytes"), m_byBytes, "exploreBytes", tr("bytes (kB)"));
    m_byRho->setEmptyText(tr("Error against ρ at this CR comes after the first solve."));
    m_byBytes->setEmptyText(tr("Error against stored bytes comes after the first solve."));
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->addWidget(rho);
    lower->addWidget(bytes);
    lower->setSizes({500, 500});
    auto* upper = new QSplitter(Qt::Horizontal);
    m_upper = upper;
    upper->addWidget(makeTableCard());
    upper->addWidget(iterations);
    upper->setSizes({500, 500});
    upper->setStretchFactor(1, 1);  // the table keeps its width
    auto* charts = new QSplitter(Qt::Vertical);
    charts->setObjectName(QStringLiteral("exploreSplitter"));
    charts->addWidget(upper);
    charts->addWidget(lower);
    charts->setSizes({320, 320});
    for (QSplitter* splitter : {upper, lower, charts}) {
        splitter->setHandleWidth(8);
        splitter->setChildrenCollapsible(false);
    }
    m_content = new QWidget;
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(12, 8, 12, 10);
    column->setSpacing(6);
    column->addWidget(makeControls());
    column->addWidget(m_facts);
    column->addWidget(charts, 1);
    m_noModel = new EmptyState("exploreNoModel", EmptyState::chooseModel());
    m_noModel->setWords(tr("A matrix under your hand"),
                        tr("Open a model: a matrix of it is solved while you drag ρ, CR or the "
                           "iterations, and its curves grow as better estimates come in."));
    connect(m_noModel, &EmptyState::wanted, this, &ExplorePage::modelWanted);
    auto* both = new QVBoxLayout(this);
    both->setContentsMargins(0, 0, 0, 0);
    both->addWidget(m_content);
    both->addWidget(m_noModel);
    setLayers({});
    connect(&m_patience, &QTimer::timeout, this, &ExplorePage::solve);
    connect(lab, &MatrixLab::exploreChanged, this, &ExplorePage::draw);
    connect(lab, &MatrixLab::exploreFailed, this, [this](const EngineError& error) {
        m_state->showProblem(error.message);
        m_stop->setEnabled(false);
        m_solved.clear();
    });
    connect(lab, &MatrixLab::engineStarted, this, [this] {
        if (m_solved.isEmpty()) {  // the words are those of the engine before it
            m_state->showWords({});
        }
    });
    connect(lab, &MatrixLab::calibrated, this, [this] {
        m_solved.clear();
        m_calibrate->hide();
        solveLater();
    });
    connect(lab, &MatrixLab::calibrationProgress, this, [this](int done, int total, double eta) {
        m_calibrate->hide();
        const QString state = tr("calibrating: %1 of %2").arg(done).arg(total);
        m_state->showWords(eta < 0 ? state
                                   : tr("%1, about %2 left").arg(state, formatDuration(eta)));
    });
    draw();
}

QWidget* ExplorePage::makeControls() {
    auto* bar = new QWidget;
    auto* grid = new QGridLayout(bar);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
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
    m_iterationCount = new SliderSpin(0, 80, 1, 0);
    m_iterationCount->setObjectName(QStringLiteral("exploreIterationCount"));
    m_iterationCount->spin()->setSpecialValueText(tr("default"));
    m_iterationCount->spin()->setAccessibleName(tr("Iterations"));
    m_iterationCount->setToolTip(tr("Iterations T of the solver; fast: 22, K-SVD: 60 by default"));
    m_state = new ElidedLabel;
    m_state->setObjectName(QStringLiteral("muted"));
    m_state->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_calibrate = new QPushButton(tr("Calibrate"));
    m_calibrate->setToolTip(
        tr("Keeps the Gram matrices XᵀX of the plan's calibration text, so that "
           "errors are whitened. About a minute for the default model."));
    m_calibrate->hide();
    m_stop = new QPushButton(icon(QStringLiteral("cancel")), tr("Stop"));
    m_stop->setObjectName(QStringLiteral("exploreStop"));
    m_stop->setEnabled(false);
    auto* use = new QPushButton(tr("Use in plan"));
    use->setObjectName(QStringLiteral("exploreUse"));
    use->setToolTip(tr("Puts CR, ρ, solver and iterations into the plan, as far as they count"));
    auto* keep = new QPushButton(tr("Keep as run"));
    keep->setObjectName(QStringLiteral("exploreKeep"));
    keep->setToolTip(
        tr("Compresses what is explored once more with these settings and stores it as a run"));
    addLabelled(*grid, 0, 0, tr("Matrix"), m_picker);
    addLabelled(*grid, 1, 0, tr("Solver"), m_solver);
    addLabelled(*grid, 0, 2, tr("ρ = k/s"), m_rho);
    addLabelled(*grid, 1, 2, tr("CR"), m_cr);
    addLabelled(*grid, 0, 4, tr("Iterations"), m_iterationCount);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_state, 1);
    buttons->addWidget(m_calibrate);
    buttons->addWidget(m_stop);
    buttons->addWidget(use);
    buttons->addWidget(keep);
    grid->addLayout(buttons, 1, 4, 1, 2);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 3);
    grid->setColumnStretch(5, 3);
    connect(m_picker, &MatrixPicker::changed, this, &ExplorePage::solveLater);
    connect(m_solver, &QComboBox::currentIndexChanged, this, &ExplorePage::solveLater);
    for (SliderSpin* field : {m_cr, m_rho, m_iterationCount}) {
        connect(field, &SliderSpin::valueChanged, this, &ExplorePage::solveLater);
    }
    connect(m_stop, &QPushButton::clicked, m_lab, &MatrixLab::stopExploring);
    connect(use, &QPushButton::clicked, this, [this] { emit planRequested(specification()); });
    connect(keep, &QPushButton::clicked, this, [this] { emit keepRequested(specification()); });
    connect(m_calibrate, &QPushButton::clicked, this, [this] {
        m_calibrate->hide();
        m_state->showWords(tr("calibrating …"));
        m_lab->calibrate(m_plan);
    });
    return bar;
}

Card* ExplorePage::makeTableCard() {
    m_tableCard = new Card(tr("At this setting"));
    m_table = new QLabel;
    m_table->setObjectName(QStringLiteral("exploreTable"));
    m_table->setTextFormat(Qt::RichText);
    m_table->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_table->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_table->setToolTip(
        tr("Low rank: SVD-LLM (plain SVD without calibration) at the same bytes, dashed in the "
           "charts"));
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Every matrix at this setting"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_table);
    scroll->viewport()->setAutoFillBackground(false);  // the card's colour, not the window's
    m_table->setAutoFillBackground(false);
    m_tableCard->body()->addWidget(scroll, 1);
    m_tableCard->hide();
    return m_tableCard;
}

Card* ExplorePage::makeChartCard(const QString& title, CurveChart*& chart, const char* name,
                                 const QString& x) {
    auto* card = new Card(title);
    m_chartCards.append(card);
    chart = new CurveChart;
    chart->setObjectName(QString::fromLatin1(name));
    chart->setAccessibleName(title);
    chart->setAxisTitles(x, tr("relative error"));
    CurveChart* made = chart;
    auto* save = new ExportButton([this, made] {
        return made->exportSource(
            QStringLiteral("%1-%2").arg(made->objectName(), m_picker->front()));
    });
    card->headerRow()->addWidget(save);
    card->body()->addWidget(chart, 1);
    connect(save, &ExportButton::exported, this, &ExplorePage::exported);
    return card;
}

void ExplorePage::setLayers(const std::vector<LayerInfo>& layers) {
    m_earlier.clear();
    m_solved.clear();
    m_picker->setLayers(layers);
    m_content->setVisible(!layers.empty());
    m_noModel->setVisible(layers.empty());
}

void ExplorePage::setLayer(const QString& name) { m_picker->setFront(name); }

QString ExplorePage::layer() const { return m_picker->front(); }

void ExplorePage::setPlan(const RunSpecification& plan) {
    m_plan = plan;
    if (!m_planTaken) {
        m_planTaken = true;
        const QSignalBlocker first(m_cr);
        const QSignalBlocker second(m_rho);
        m_cr->setValue(plan.cr);
        m_rho->setValue(plan.rho);
    }
    showWhatCounts();
    solveLater();
}

void ExplorePage::showWhatCounts() {
    const Method& method = methodOf(m_plan);
    m_solver->setEnabled(method.uses("solver"));
    m_cr->setEnabled(hasRatio(m_plan));
    m_rho->setEnabled(method.uses("rho"));
    m_iterationCount->setEnabled(method.uses("iterations"));
    m_iterations->parentWidget()->setVisible(method.uses("iterations"));
    m_byRho->parentWidget()->setVisible(method.uses("rho"));
    m_upper->setVisible(method.uses("iterations") || !m_tableCard->isHidden());
}

RunSpecification ExplorePage::specification() const {
    RunSpecification s = m_plan;
    // Without a Gram the engine takes the data-free one.
    if (m_lab->trace().number() > 0 && !m_lab->trace().isWhitened()) {
        s.method = &methodOf(s).withoutCalibration();
    }
    const Method& method = *s.method;
    if (method.uses("solver")) {
        s.solver = solverFromName(m_solver->currentData().toString().toStdString());
    }
    s.cr = hasRatio(s) ? m_cr->value() : s.cr;
    s.autoRho = false;  // a matrix at hand has the ρ of the slider
    s.rho = method.uses("rho") ? m_rho->value() : s.rho;
    s.iterations =
        method.uses("iterations") ? static_cast<int>(m_iterationCount->value()) : s.iterations;
    s.layers = m_picker->regex().toStdString();
    return s;
}

void ExplorePage::solveLater() {
    if (isVisible() && !m_picker->isEmpty()) {
        m_patience.start();
    }
}

void ExplorePage::solve() {
    RunSpecification s = specification();
    s.method = m_plan.method;  // whether there is a Gram the engine knows
    const QStringList layers = m_picker->layers();
    const QString asked =
        layers.join(' ') +
        QString::fromUtf8(QJsonDocument(jsonOf(s)).toJson(QJsonDocument::Compact));
    if (asked == m_solved) {
        return;
    }
    rememberCurve();
    m_solved = asked;
    m_lab->explore(s, layers, rhoValues(), crValues());
    m_state->showWords(tr("solving …"));
    m_stop->setEnabled(true);
}

// Of one matrix alone: several would be too many curves.
void ExplorePage::rememberCurve() {
    const ExploreTrace& trace = m_lab->trace();
    const auto& matrices = trace.matrices();
    if (matrices.size() != 1 || m_picker->layers() != QStringList{matrices.first().layer}) {
        m_earlier.clear();
    } else if (trace.number() != m_remembered && matrices.first().iterations.size() > 2) {
        m_earlier.prepend({matrices.first().iterations, matrices.first().whitened});
        m_earlier = m_earlier.mid(0, kMostEarlier);
    }
    m_remembered = trace.number();
}

void ExplorePage::draw() {
    const ExploreTrace& trace = m_lab->trace();
    const bool several = trace.matrices().size() > 1;
    m_iterations->setCurves(errorByIteration(trace, m_earlier));
    m_byRho->setCurves(errorByRho(trace));
    const QString error =
        trace.isWhitened() ? tr("whitened relative error") : tr("plain relative error");
    m_iterations->setAxisTitles(tr("iteration"), error);
    m_byRho->setAxisTitles(tr("ρ = k/s"), error);
    m_byBytes->setAxisTitles(several ? tr("bytes (% of bf16)") : tr("bytes (kB)"), error);
    m_byBytes->setCurves(errorByBytes(trace));
    const QString note = several ? tr("dashed: low rank") : QString();
    for (Card* card : m_chartCards) {
        card->setNote(note);
        card->setToolTip(errorHelp(trace.isWhitened()));
    }
    for (CurveChart* chart : {m_byRho, m_byBytes}) {
        chart->setLogarithmic(several);  // their errors may lie far apart
    }
    showFacts();
    showState();
}

void ExplorePage::showEmptyWords() {
    m_iterations->setEmptyText(
        tr("<p style='font-size:large; color:%1'>Drag ρ, CR or the iterations</p>"
           "<p>The matrix is solved again at once, and the curves grow as better estimates come "
           "in.</p>")
            .arg(theme().text.name()));
}

void ExplorePage::showFacts() {
    const ExploreTrace& trace = m_lab->trace();
    const bool several = trace.matrices().size() > 1;
    m_tableCard->setVisible(several);
    showWhatCounts();
    m_facts->setVisible(!several);
    m_table->setText(several ? factsOfAll(trace) : QString());
    m_facts->setToolTip(factsOfFirst(trace));  // whole
    m_facts->setText(m_facts->toolTip().isEmpty() ? tr("&nbsp;") : m_facts->toolTip());
}

void ExplorePage::showState() {
    const ExploreTrace& trace = m_lab->trace();
    if (trace.matrices().isEmpty()) {
        return;
    }
    // Also where it failed: it may have been for want of a Gram, or of gradients.
    const bool failed = trace.status() == QLatin1String("failed");
    const bool isWhole = trace.isWhitened() && !(failed && methodOf(m_plan).needsGradients());
    m_calibrate->setVisible(!isWhole && !m_lab->isCalibrating());
    if (failed) {
        return;
    }
    m_stop->setEnabled(trace.status().isEmpty());
    if (m_lab->isCalibrating()) {
        return;
    }
    const qsizetype values = (methodOf(m_plan).uses("rho") ? rhoValues().size() : 0) +
                             (hasRatio(m_plan) ? crValues().size() : 0);
    m_state->showWords(stateOf(trace, m_picker->layers().size() * values));
}

QString ExplorePage::facts() const {
    return m_tableCard->isHidden() ? m_facts->text() : m_table->text();
}

void ExplorePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    solveLater();
}

void ExplorePage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (m_lab->isExploring()) {
        m_lab->stopExploring();  // nobody is looking: the cores are better used elsewhere
        m_solved.clear();
    }
}

void ExplorePage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_byBytes != nullptr) {
        showEmptyWords();  // a colour stands in the words
        draw();
    }
}

}  // namespace cospadi::ui
