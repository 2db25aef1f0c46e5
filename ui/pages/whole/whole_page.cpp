#include "ui/pages/whole/whole_page.h"

#include <QEvent>
#include <QJsonDocument>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "core/explore/whole_model.h"
#include "core/methods/method.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/charts/heat_map.h"
#include "ui/engine/matrix_lab.h"
#include "ui/pages/whole/matrix_fate.h"
#include "ui/pages/whole/whole_controls.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

constexpr int kSettingPatienceMilliseconds = 500;  // before the engine measures another setting

QString stageWords(const QString& stage) {
    return stage == QLatin1String("model")         ? WholePage::tr("reading the model")
           : stage == QLatin1String("calibration") ? WholePage::tr("calibrating")
           : stage == QLatin1String("perplexity")
               ? WholePage::tr("perplexity of the model as it is")
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
    auto* right = new QSplitter(Qt::Vertical);
    right->addWidget(makeMap());
    right->addWidget(makeNumbers());
    right->setSizes({360, 300});
    auto* charts = new QSplitter(Qt::Horizontal);
    charts->setObjectName(QStringLiteral("wholeSplitter"));
    charts->addWidget(makeChart());
    charts->addWidget(right);
    charts->setSizes({520, 640});
    for (QSplitter* splitter : {right, charts}) {
        splitter->setHandleWidth(8);
        splitter->setChildrenCollapsible(false);
    }
    m_content = new QWidget;
    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(12, 8, 12, 10);
    column->setSpacing(6);
    column->addWidget(m_controls);
    column->addWidget(charts, 1);
    m_noModel = new EmptyState("wholeNoModel", EmptyState::chooseModel());
    m_noModel->setWords(tr("The whole model under one slider"),
                        tr("Open a model: what every matrix loses at a ratio, and what that costs "
                           "the predictions, is measured while you look."));
    connect(m_noModel, &EmptyState::wanted, this, &WholePage::modelWanted);
    m_noModel->hide();
    auto* both = new QVBoxLayout(this);
    both->setContentsMargins(0, 0, 0, 0);
    both->addWidget(m_content);
    both->addWidget(m_noModel);
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
    connect(&m_patience, &QTimer::timeout, this, &WholePage::measure);
    connect(m_source, &CurveSource::arrived, this, &WholePage::setCurves);
    connect(m_source, &CurveSource::progressed, this,
            [this](const QString& stage, double share, double eta) {
                m_controls->showState(
                    tr("%1: %2").arg(stageWords(stage), formatPercent(share)) +
                    (eta >= 0 ? tr(", about %1 left").arg(formatDuration(eta)) : QString()));
            });
    connect(m_source, &CurveSource::ended, this, [this] {
        m_controls->showState(m_predictor && m_predictor->curves().isComplete
                                  ? tr("everything is measured")
                                  : tr("stopped"));
    });
    connect(m_source, &CurveSource::failed, this, [this](const EngineError& error) {
        m_asked.clear();
        m_controls->showProblem(error.message);
    });
    connect(engine, &EngineClient::ready, this, [this] {
        m_asked.clear();  // asked of the one before
        if (isVisible()) {
            m_patience.start();
        }
    });
    showNumbers({});
}

QWidget* WholePage::makeChart() {
    auto* card = new Card(tr("Predicted perplexity by CR"));
    m_chart = new CurveChart;
    m_chart->setObjectName(QStringLiteral("wholeChart"));
    m_chart->setAccessibleName(tr("Predicted perplexity by CR"));
    m_chart->setLogarithmic(true);
    m_chart->setAxisTitles(tr("CR"), tr("perplexity"));
    showEmptyWords();
    auto* save = new ExportButton(
        [this] { return m_chart->exportSource(QStringLiteral("predicted-perplexity")); });
    card->headerRow()->addWidget(save);
    card->body()->addWidget(m_chart, 1);
    connect(save, &ExportButton::exported, this, &WholePage::exported);
    return card;
}

void WholePage::showEmptyWords() {
    m_chart->setEmptyText(
        tr("<p style='font-size:large; color:%1'>The whole model under one slider</p><p>While you "
           "look, every matrix is tried and what its errors cost is measured: a first estimate in "
           "seconds, all of it in about three minutes, once for every method, ρ and storage.</p>")
            .arg(theme().text.name()));
}

QWidget* WholePage::makeMap() {
    auto* card = new Card(tr("CR of every matrix, in percent"));
    card->setNote(tr("P pinned, ≤ limited, × left out"));
    m_map = new HeatMap;
    m_map->setObjectName(QStringLiteral("wholeMap"));
    m_map->setAccessibleName(tr("CR of every matrix, by kind and block"));
    m_map->setEmptyText(tr("The CR of every matrix stands here once the curves are measured."));
    m_fate = new MatrixFate;
    auto* save =
        new ExportButton([this] { return m_map->exportSource(QStringLiteral("predicted-cr")); });
    card->headerRow()->addWidget(save);
    card->body()->addWidget(m_map, 1);
    card->body()->addWidget(m_fate);
    connect(save, &ExportButton::exported, this, &WholePage::exported);
    connect(m_map, &HeatMap::chosen, this, [this](int row, int column) {
        m_chosen = m_predictor ? layerInCell(m_predictor->curves(), row, column) : QString();
        drawMap();
    });
    connect(m_fate, &MatrixFate::changed, this, [this](const PredictionTarget& target) {
        m_isOwn = true;
        m_target.pins = target.pins;
        m_target.limits = target.limits;
        m_target.excluded = target.excluded;
        targetChanged();
    });
    return card;
}

QWidget* WholePage::makeNumbers() {
    auto* card = new Card(tr("At this setting"));
    m_numbers = new QLabel;
    m_numbers->setObjectName(QStringLiteral("wholeNumbers"));
    m_doubts = new QLabel;
    m_doubts->setObjectName(QStringLiteral("wholeDoubts"));
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    for (QLabel* label : {m_numbers, m_doubts}) {
        label->setTextFormat(Qt::RichText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("What is predicted at this setting"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    scroll->viewport()->setAutoFillBackground(false);  // the card's colour, not the window's
    inside->setAutoFillBackground(false);
    card->body()->addWidget(scroll, 1);
    return card;
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

// Pins and limits are those of a model's own layers.
void WholePage::takeTarget() {
    const std::optional<WholeTarget> kept = m_kept.of(m_plan.model);
    m_isOwn = kept.has_value();
    m_isSettingOwn = kept && kept->rho;
    m_chosen.clear();
    if (!kept) {
        m_target.pins.clear();
        m_target.limits.clear();
        m_target.excluded.clear();
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
    m_predictor.reset();
    m_shared.reset();
    m_uniform.reset();
    m_curves = {};
    m_work.forget();
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
    m_controls->showState(tr("asking for curves …"));
    m_source->measure(s);
}

void WholePage::setCurves(const ModelCurves& curves) {
    try {
        m_predictor = std::make_shared<const ModelPredictor>(curves, curveOptions(specification()));
    } catch (const Error& error) {
        showNumbers(QString::fromStdString(error.what()));
        return;
    }
    targetChanged();
}

void WholePage::targetChanged() {
    if (!m_predictor) {
        return;
    }
    m_work.ask([predictor = m_predictor,
                target = m_target] { return perplexitiesOver(*predictor, target); },
               [this](const PredictedPerplexities& curves) {
                   m_curves = curves;
                   drawCurves();
               },
               [](const Error&) {});  // told for the target itself
    predict();
}

void WholePage::predict() {
    if (!m_predictor) {
        return;
    }
    QString problem;
    PredictionTarget target = m_target;
    target.uniform = false;
    try {
        m_shared = m_predictor->predict(target);
    } catch (const Error& error) {
        m_shared.reset();
        problem = QString::fromStdString(error.what());
    }
    target.uniform = true;
    try {
        m_uniform = m_predictor->predict(target);
    } catch (const Error&) {  // one ratio for all may have no form where sharing has
        m_uniform.reset();
    }
    if (m_shared) {
        if (m_target.bytes) {
            m_controls->showRatio(m_shared->cr());
        } else {
            m_controls->showBytes(m_shared->modelBytes);
        }
    }
    m_controls->setRunnable(m_shared.has_value());
    drawCurves();
    drawMap();
    showNumbers(problem);
}

void WholePage::drawCurves() {
    if (!m_predictor || m_curves.shared.isEmpty()) {
        m_chart->setCurves({});
        return;
    }
    const ModelCurves& curves = m_predictor->curves();
    m_chart->setAxisTitles(tr("CR"), curves.densePerplexity > 0
                                         ? tr("perplexity")
                                         : tr("perplexity, times the model's own"));
    m_chart->setCurves(
        predictedCurves(m_curves, m_shared, measuredPerplexities(m_runs, specification(), curves)));
}

void WholePage::drawMap() {
    if (!m_predictor || !m_shared) {
        m_map->setData({});
        return;
    }
    const ModelCurves& curves = m_predictor->curves();
    m_map->setData(ratioMap(curves, *m_shared, m_target, m_chosen));
    m_fate->setTarget(m_target);
    for (const LayerPrediction& layer : m_shared->layers) {
        if (!m_chosen.isEmpty() && layer.name == m_chosen.toStdString()) {
            m_fate->show(m_chosen, m_target, layer);
        }
    }
}

void WholePage::showNumbers(const QString& problem) {
    m_problem = problem;
    if (!problem.isEmpty()) {
        m_numbers->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                               .arg(theme().error.name(), problem.toHtmlEscaped()));
        m_doubts->clear();
    } else if (m_predictor && m_shared) {
        m_numbers->setText(predictionTable(m_predictor->curves(), *m_shared, m_uniform));
        m_doubts->setText(doubtsOf(*m_shared));
    } else {
        m_numbers->setText(tr("The first estimate comes in some seconds."));
        m_doubts->clear();
        m_map->setData({});
    }
}

std::optional<RunSpecification> WholePage::runToMake() const {
    return m_shared ? std::optional(runOf(specification(), *m_shared)) : std::nullopt;
}

void WholePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!m_predictor || !m_predictor->curves().isComplete) {
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
    if (event->type() == QEvent::PaletteChange && m_doubts != nullptr) {
        showEmptyWords();  // colours stand in the words
        drawCurves();
        showNumbers(QString(m_problem));
    }
}

}  // namespace cospadi::ui
