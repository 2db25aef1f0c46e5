#include "ui/pages/whole/whole_page.h"

#include <QEvent>
#include <QJsonDocument>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/explore/whole_model.h"
#include "core/methods/method.h"
#include "ui/base/format.h"
#include "ui/engine/matrix_lab.h"
#include "ui/pages/whole/numbers_card.h"
#include "ui/pages/whole/perplexity_card.h"
#include "ui/pages/whole/ratio_map_card.h"
#include "ui/pages/whole/whole_controls.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

constexpr int kSettingPatienceMilliseconds = 500;  // before the engine measures another setting

QString stageWords(const QString& stage) {
    return stage == QLatin1String("model")         ? WholePage::tr("reading the model")
           : stage == QLatin1String("calibration") ? WholePage::tr("calibrating")
           : stage == QLatin1String("perplexity")
               ? WholePage::tr("perplexity of the uncompressed model")
               : WholePage::tr("measuring curves");
}

// What curves are asked for by.
QString keyOf(const RunSpecification& specification) {
    return QString::fromUtf8(QJsonDocument(jsonOf(specification)).toJson(QJsonDocument::Compact));
}

}  // namespace

WholePage::WholePage(EngineClient* engine, CurveSource* source, QWidget* parent)
    : QWidget(parent), m_source(source), m_controls(new WholeControls) {
    m_patience.setSingleShot(true);
    m_patience.setInterval(kSettingPatienceMilliseconds);
    m_content = new QWidget;
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(12, 8, 12, 10);
    column->setSpacing(6);
    column->addWidget(m_controls);
    column->addWidget(makeCards(), 1);
    m_noModel = new EmptyState("wholeNoModel", EmptyState::chooseModel());
    m_noModel->setWords(tr("The whole model under one slider"),
                        tr("Open a model: the error of every matrix at each ratio, and its cost to "
                           "the predictions, are measured while you watch."));
    connect(m_noModel, &EmptyState::wanted, this, &WholePage::modelWanted);
    m_noModel->hide();
    auto* both = new QVBoxLayout(this);
    both->setContentsMargins(0, 0, 0, 0);
    both->addWidget(m_content);
    both->addWidget(m_noModel);
    connectControls();
    connect(&m_patience, &QTimer::timeout, this, &WholePage::measure);
    connectSource();
    connect(engine, &EngineClient::ready, this, [this] {
        m_asked.clear();  // asked of the one before
        if (isVisible()) {
            m_patience.start();
        }
    });
    showNumbers({});
}

QWidget* WholePage::makeCards() {
    auto* right = new QSplitter(Qt::Vertical);
    m_map = new RatioMapCard(&m_prediction);
    m_numbers = new NumbersCard;
    right->addWidget(m_map);
    right->addWidget(m_numbers);
    right->setSizes({360, 300});
    auto* charts = new QSplitter(Qt::Horizontal);
    charts->setObjectName(QStringLiteral("wholeSplitter"));
    m_perplexities = new PerplexityCard;
    charts->addWidget(m_perplexities);
    charts->addWidget(right);
    charts->setSizes({520, 640});
    for (QSplitter* splitter : {right, charts}) {
        splitter->setHandleWidth(8);
        splitter->setChildrenCollapsible(false);
    }
    connect(m_perplexities, &PerplexityCard::exported, this, &WholePage::exported);
    connect(m_map, &RatioMapCard::exported, this, &WholePage::exported);
    connect(m_map, &RatioMapCard::targetChanged, this, [this](const PredictionTarget& target) {
        m_isOwn = true;
        m_target.pins = target.pins;
        m_target.limits = target.limits;
        m_target.excluded = target.excluded;
        targetChanged();
    });
    connect(&m_prediction, &TargetPrediction::overRatiosChanged, this, &WholePage::drawCurves);
    return charts;
}

void WholePage::connectControls() {
    connect(m_controls, &WholeControls::ratioChanged, this, [this](double cr) {
        m_isOwn = true;
        m_target.cr = cr;
        m_target.bytes.reset();
        predict();
    });
    connect(m_controls, &WholeControls::bytesChanged, this, [this](double bytes) {
        m_isOwn = true;
        m_target.bytes = bytes;
        predict();
    });
    connect(m_controls, &WholeControls::settingChanged, this, [this] {
        m_isOwn = m_isSettingOwn = true;
        settingChanged();
    });
    connect(m_controls, &WholeControls::runWanted, this, [this] {
        if (const auto run = runToMake()) {
            emit runRequested(*run);
        }
    });
}

void WholePage::connectSource() {
    connect(m_source, &CurveSource::arrived, this, [this](const ModelCurves& curves) {
        if (!m_asked.isEmpty()) {  // else of a setting that was dropped: the next is not asked yet
            setCurves(curves);
        }
    });
    connect(m_source, &CurveSource::progressed, this,
            [this](const QString& stage, double share, double eta) {
                m_controls->showState(
                    tr("%1: %2").arg(stageWords(stage), formatPercent(share)) +
                    (eta >= 0 ? tr(", about %1 left").arg(formatDuration(eta)) : QString()));
            });
    connect(m_source, &CurveSource::ended, this, [this] {
        m_controls->showState(m_prediction.curves() != nullptr && m_prediction.curves()->isComplete
                                  ? tr("everything is measured")
                                  : tr("stopped"));
    });
    connect(m_source, &CurveSource::failed, this, [this](const EngineError& error) {
        m_asked.clear();
        m_controls->showProblem(error.message);
    });
}

void WholePage::setPlan(const RunSpecification& plan) {
    const bool isOther = plan.model != m_plan.model;
    if (isOther) {
        keepTarget(m_kept);
    }
    m_plan = plan;
    m_content->setVisible(!plan.model.empty());
    m_noModel->setVisible(plan.model.empty());
    if (!m_planTaken) {
        m_planTaken = true;
        m_controls->take(plan);
        m_target.cr = m_controls->cr();
    }
    if (isOther) {
        takeTarget();
    }
    settingChanged();
}

void WholePage::keepTarget(KeptTargets& kept) const {
    if (m_plan.model.empty() || !m_isOwn) {
        return;
    }
    WholeTarget own{m_target, {}, {}, {}};
    if (m_isSettingOwn) {
        RunSpecification fields = m_plan;
        m_controls->writeTo(fields);
        own.method = fields.method->name();
        own.storage = name(fields.accounting);
        own.rho = fields.rho;
    }
    kept.keep(m_plan.model, own);
}

// Pins, limits and a size are a model's own.
void WholePage::takeTarget() {
    const std::optional<WholeTarget> kept = m_kept.of(m_plan.model);
    m_isOwn = kept.has_value();
    m_isSettingOwn = kept && kept->rho;
    m_map->chooseNothing();
    if (!kept) {
        m_target.pins.clear();
        m_target.limits.clear();
        m_target.excluded.clear();
        m_target.bytes.reset();
        m_target.cr = m_controls->cr();
        return;
    }
    m_target = kept->target;
    m_controls->take(kept->fields(m_plan));
    if (m_target.bytes) {
        m_controls->showBytes(*m_target.bytes);
    }
}

QString WholePage::targetsAsText() const {
    KeptTargets all = m_kept;
    keepTarget(all);
    return all.asText();
}

void WholePage::setRuns(const std::vector<RunRow>& runs) {
    m_runs = runs;
    drawCurves();
}

RunSpecification WholePage::specification() const {
    RunSpecification s = m_plan;
    m_controls->writeTo(s);
    s.allocation = &uniformRule();
    s.propagation = PropagationKind::Off;
    s.ratios.clear();
    s.layers = ".*";
    const RunSpecification usual;
    s.cr = usual.cr;  // the curves are those of any
    return s;
}

void WholePage::settingChanged() {
    m_controls->enableWhatCounts();
    if (keyOf(specification()) != m_asked) {
        m_source->stop();
        dropCurves();
    }
    if (isVisible() && !m_plan.model.empty()) {
        m_patience.start();
    }
}

void WholePage::dropCurves() {
    m_asked.clear();
    m_prediction.clear();
    m_controls->setRunnable(false);
    drawCurves();
    showNumbers({});
}

void WholePage::measure() {
    if (m_plan.model.empty()) {
        return;
    }
    const RunSpecification s = specification();
    const QString asked = keyOf(s);
    if (asked == m_asked) {
        return;
    }
    m_asked = asked;
    m_controls->showState(tr("requesting curves …"));
    m_source->measure(s);
}

void WholePage::setCurves(const ModelCurves& curves) {
    try {
        m_prediction.setCurves(curves, curveOptions(specification()));
    } catch (const Error& error) {
        showNumbers(QString::fromStdString(error.what()));
        return;
    }
    targetChanged();
}

void WholePage::targetChanged() {
    m_prediction.predictOverRatios(m_target);
    predict();
}

void WholePage::predict() {
    if (m_prediction.curves() == nullptr) {
        return;
    }
    const QString problem = m_prediction.predict(m_target);
    if (shared()) {
        if (m_target.bytes) {
            m_controls->showRatio(shared()->cr());
        } else {
            m_controls->showBytes(shared()->modelBytes);
        }
    }
    m_controls->setRunnable(shared().has_value());
    drawCurves();
    m_map->show(m_target);
    showNumbers(problem);
}

void WholePage::drawCurves() {
    const ModelCurves* curves = m_prediction.curves();
    if (curves == nullptr || m_prediction.overRatios().shared.isEmpty()) {
        m_perplexities->clear();
        return;
    }
    m_perplexities->show(m_prediction, measuredPerplexities(m_runs, specification(), *curves));
}

void WholePage::showNumbers(const QString& problem) {
    m_problem = problem;
    if (!problem.isEmpty()) {
        m_numbers->showProblem(problem);
    } else if (m_prediction.curves() != nullptr && shared()) {
        m_numbers->show(m_prediction);
    } else {
        m_numbers->showWaiting();
        m_map->clear();
    }
}

std::optional<RunSpecification> WholePage::runToMake() const {
    return shared() ? std::optional(runOf(specification(), *shared())) : std::nullopt;
}

void WholePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_prediction.curves() == nullptr || !m_prediction.curves()->isComplete) {
        m_asked.clear();  // it was stopped when the page was left
        m_patience.start();
    }
}

void WholePage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_patience.stop();
    m_source->stop();  // nobody is looking: the cores are better used elsewhere
}

void WholePage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_numbers != nullptr) {
        drawCurves();  // colours stand in them, and in the words

        showNumbers(QString(m_problem));
    }
}

}  // namespace cospadi::ui
