#include "ui/pages/explore/explore_page.h"

#include <QEvent>
#include <QJsonDocument>
#include <QLabel>
#include <QVBoxLayout>

#include "core/methods/method.h"
#include "ui/pages/explore/explore_charts.h"
#include "ui/pages/explore/explore_controls.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

constexpr int kSliderPatienceMilliseconds = 60;  // while a slider is dragged
constexpr int kMostEarlier = 6;

}  // namespace

ExplorePage::ExplorePage(MatrixLab* lab, QWidget* parent)
    : QWidget(parent), m_lab(lab), m_controls(new ExploreControls) {
    m_patience.setSingleShot(true);
    m_patience.setInterval(kSliderPatienceMilliseconds);
    m_facts = new QLabel;
    m_facts->setObjectName(QStringLiteral("exploreFacts"));
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_charts = new ExploreCharts(picker());
    m_content = new QWidget;
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(12, 8, 12, 10);
    column->setSpacing(6);
    column->addWidget(m_controls);
    column->addWidget(m_facts);
    column->addWidget(m_charts, 1);
    m_noModel = new EmptyState("exploreNoModel", EmptyState::chooseModel());
    m_noModel->setWords(tr("Explore a matrix"),
                        tr("Open a model: one of its matrices is solved while you drag ρ, CR or "
                           "the iterations, and its curves grow as better estimates come in."));
    connect(m_noModel, &EmptyState::wanted, this, &ExplorePage::modelWanted);
    auto* both = new QVBoxLayout(this);
    both->setContentsMargins(0, 0, 0, 0);
    both->addWidget(m_content);
    both->addWidget(m_noModel);
    setLayers({});
    connect(&m_patience, &QTimer::timeout, this, &ExplorePage::solve);
    connect(m_charts, &ExploreCharts::exported, this, &ExplorePage::exported);
    connectControls();
    connectLab();
    draw();
}

void ExplorePage::connectControls() {
    connect(m_controls, &ExploreControls::changed, this, &ExplorePage::solveLater);
    connect(m_controls, &ExploreControls::stopWanted, m_lab, &MatrixLab::stopExploring);
    connect(m_controls, &ExploreControls::planWanted, this,
            [this] { emit planRequested(specification()); });
    connect(m_controls, &ExploreControls::runWanted, this,
            [this] { emit keepRequested(specification()); });
    connect(m_controls, &ExploreControls::calibrationWanted, this,
            [this] { m_lab->calibrate(m_plan); });
}

void ExplorePage::connectLab() {
    connect(m_lab, &MatrixLab::exploreChanged, this, &ExplorePage::draw);
    connect(m_lab, &MatrixLab::exploreFailed, this, [this](const EngineError& error) {
        m_controls->showProblem(error.message);
        m_controls->setStoppable(false);
        m_solved.clear();
    });
    connect(m_lab, &MatrixLab::engineStarted, this, [this] {
        if (m_solved.isEmpty()) {  // the words are those of the engine before it
            m_controls->showState({});
        }
    });
    connect(m_lab, &MatrixLab::calibrated, this, [this] {
        m_solved.clear();
        m_controls->offerCalibration(false);
        solveLater();
    });
    connect(m_lab, &MatrixLab::calibrationFailed, this, [this](const EngineError& error) {
        showState();  // which offers it again
        m_controls->showProblem(tr("Not calibrated: %1").arg(error.message));
    });
    connect(m_lab, &MatrixLab::calibrationProgress, m_controls, &ExploreControls::showCalibration);
}

MatrixPicker* ExplorePage::picker() const { return m_controls->picker(); }
CurveChart* ExplorePage::iterationChart() const { return m_charts->byIteration(); }
CurveChart* ExplorePage::rhoChart() const { return m_charts->byRho(); }
CurveChart* ExplorePage::bytesChart() const { return m_charts->byBytes(); }

void ExplorePage::setLayers(const std::vector<LayerInfo>& layers) {
    m_earlier.clear();
    m_remembered = m_lab->trace().number();  // a matrix of that name may be another model's
    m_solved.clear();
    picker()->setLayers(layers);
    m_content->setVisible(!layers.empty());
    m_noModel->setVisible(layers.empty());
}

void ExplorePage::setLayer(const QString& name) { picker()->setFront(name); }

QString ExplorePage::layer() const { return picker()->front(); }

void ExplorePage::setPlan(const RunSpecification& plan) {
    m_plan = plan;
    if (!m_planTaken) {
        m_planTaken = true;
        m_controls->take(plan);
    }
    showWhatCounts();
    solveLater();
}

void ExplorePage::showWhatCounts() {
    m_controls->enableWhatCounts(m_plan);
    m_charts->showWhatCounts(methodOf(m_plan));
}

RunSpecification ExplorePage::specification() const {
    RunSpecification s = m_plan;
    // Without a Gram the engine takes the data-free one.
    if (m_lab->trace().number() > 0 && !m_lab->trace().isWhitened()) {
        s.method = &methodOf(s).withoutCalibration();
    }
    m_controls->writeTo(s);
    return s;
}

void ExplorePage::solveLater() {
    if (isVisible() && !picker()->isEmpty()) {
        m_patience.start();
    }
}

void ExplorePage::solve() {
    RunSpecification s = specification();
    s.method = m_plan.method;  // whether there is a Gram the engine knows
    const QStringList layers = picker()->layers();
    const QString asked =
        layers.join(' ') +
        QString::fromUtf8(QJsonDocument(jsonOf(s)).toJson(QJsonDocument::Compact));
    if (asked == m_solved) {
        return;
    }
    rememberCurve();
    m_solved = asked;
    m_lab->explore(s, layers, rhoValues(), crValues());
    m_controls->showState(tr("solving …"));
    m_controls->setStoppable(true);
}

// Of one matrix alone: several would be too many curves.
void ExplorePage::rememberCurve() {
    const ExploreTrace& trace = m_lab->trace();
    const auto& matrices = trace.matrices();
    if (matrices.size() != 1 || picker()->layers() != QStringList{matrices.first().layer}) {
        m_earlier.clear();
    } else if (trace.number() != m_remembered && matrices.first().iterations.size() > 2) {
        m_earlier.prepend({matrices.first().iterations, matrices.first().whitened});
        m_earlier = m_earlier.mid(0, kMostEarlier);
    }
    m_remembered = trace.number();
}

void ExplorePage::draw() {
    m_charts->draw(m_lab->trace(), m_earlier);
    showWhatCounts();
    showFacts();
    showState();
}

void ExplorePage::showFacts() {
    m_facts->setVisible(!m_charts->hasTable());
    m_facts->setToolTip(factsOfFirst(m_lab->trace()));  // whole
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
    m_controls->offerCalibration(!isWhole && !m_lab->isCalibrating());
    if (failed) {
        return;
    }
    m_controls->setStoppable(trace.status().isEmpty());
    if (m_lab->isCalibrating()) {
        return;
    }
    const qsizetype values = (methodOf(m_plan).uses("rho") ? rhoValues().size() : 0) +
                             (hasRatio(m_plan) ? crValues().size() : 0);
    m_controls->showState(stateOf(trace, picker()->layers().size() * values));
}

QString ExplorePage::facts() const {
    return m_charts->hasTable() ? m_charts->table() : m_facts->text();
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
    if (event->type() == QEvent::PaletteChange && m_charts != nullptr) {
        draw();  // colours stand in curves and words
    }
}

}  // namespace cospadi::ui
