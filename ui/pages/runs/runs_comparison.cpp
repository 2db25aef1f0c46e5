#include "ui/pages/runs/runs_comparison.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "core/base/error.h"
#include "core/report/published_values.h"
#include "core/report/run_dimensions.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/run_axes.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

RunsComparison::RunsComparison(QWidget* parent) : QWidget(parent) {
    try {
        m_published = publishedTables();
    } catch (const Error&) {
        // Without the file of resources nothing can be laid over; one's own runs stay.
    }
    m_card = new Card(tr("Comparison"));
    m_comparison = new QComboBox;
    m_comparison->setAccessibleName(tr("What is compared"));
    m_comparison->setObjectName(QStringLiteral("comparison"));
    const std::pair<QString, Comparison> comparisons[] = {
        {tr("error by matrix"), Comparison::ErrorByLayer},
        {tr("error map: blocks × kinds"), Comparison::ErrorMap},
        {tr("error against iteration"), Comparison::ErrorByIteration},
        {tr("value against bytes"), Comparison::ByBytes},
        {tr("value against CR"), Comparison::ByCr},
        {tr("value against ρ"), Comparison::ByRho},
        {tr("value against iterations"), Comparison::ByIterations},
        {tr("parallel coordinates"), Comparison::Parallel}};
    for (const auto& [words, comparison] : comparisons) {
        m_comparison->addItem(words, static_cast<int>(comparison));
    }
    m_metric = new QComboBox;
    m_metric->setAccessibleName(tr("The value that is drawn"));
    m_metric->setObjectName(QStringLiteral("comparisonMetric"));
    m_metric->setToolTip(
        tr("avg_acc: the mean accuracy of the paper's eight tasks, of runs that have all of them"));
    fillMetrics();
    m_paper = new QToolButton;
    m_paper->setObjectName(QStringLiteral("paperResults"));
    m_paper->setText(tr("Paper"));
    m_paper->setAccessibleName(tr("Results of the paper"));
    m_paper->setPopupMode(QToolButton::InstantPopup);
    m_paper->setFocusPolicy(Qt::StrongFocus);
    m_paper->setAutoRaise(true);
    m_paperMenu = new QMenu(m_paper);
    m_paper->setMenu(m_paperMenu);
    m_chart = new CurveChart;
    m_chart->setObjectName(QStringLiteral("comparisonChart"));
    m_chart->setAccessibleName(tr("Comparison of the selected runs"));
    m_map = new HeatMap;
    m_map->setObjectName(QStringLiteral("errorMap"));
    m_map->setAccessibleName(tr("Error by block and kind"));
    m_parallel = new ParallelCoordinates;
    m_parallel->setObjectName(QStringLiteral("parallelCoordinates"));
    auto* save = new ExportButton([this] {
        return m_shown->currentWidget() == m_map ? m_map->exportSource(QStringLiteral("error-map"))
               : m_shown->currentWidget() == m_parallel
                   ? m_parallel->exportSource(QStringLiteral("runs"))
                   : m_chart->exportSource(QStringLiteral("comparison"));
    });
    for (QWidget* widget : std::initializer_list<QWidget*>{m_paper, m_metric, m_comparison, save}) {
        m_card->headerRow()->addWidget(widget);
    }
    m_shown = new QStackedWidget;
    m_shown->addWidget(m_chart);
    m_shown->addWidget(m_map);
    m_shown->addWidget(m_parallel);
    m_card->body()->addWidget(m_shown, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_card);
    connect(m_comparison, &QComboBox::currentIndexChanged, this, &RunsComparison::choose);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &RunsComparison::draw);
    connect(save, &ExportButton::exported, this, &RunsComparison::exported);
    connect(m_parallel, &ParallelCoordinates::brushed, this, [this] {
        emit brushed(m_parallel->isBrushed() ? std::optional(m_parallel->passing()) : std::nullopt);
    });
    choose();
}

Comparison RunsComparison::comparison() const {
    return static_cast<Comparison>(m_comparison->currentData().toInt());
}

std::string RunsComparison::chosenMetric() const {
    return m_metric->currentData().toString().toStdString();
}

void RunsComparison::fillMetrics() {
    const QSignalBlocker quiet(m_metric);
    const QString current = m_metric->currentData().toString();
    m_metric->clear();
    std::vector<std::string> names = metricNames();
    const std::vector<std::string> tasks = taskMetrics(m_stored);
    names.insert(names.end(), tasks.begin(), tasks.end());
    for (const std::string& name : names) {
        m_metric->addItem(QString::fromStdString(name), QString::fromStdString(name));
    }
    m_metric->setCurrentIndex(std::max(0, m_metric->findData(current)));
}

void RunsComparison::setStored(const std::vector<RunRow>& stored) {
    m_stored = stored;
    fillMetrics();
    draw();
}

void RunsComparison::setOnShow(const std::vector<RunRow>& runs) {
    m_onShow = runs;
    if (comparison() == Comparison::Parallel) {
        drawParallel();
    }
}

void RunsComparison::setSelected(const std::vector<RunRow>& runs) {
    m_selected.clear();
    for (const RunRow& run : runs) {
        m_selected.insert(QString::fromStdString(run.id));
    }
    m_parallel->setHighlighted(m_selected);
}

void RunsComparison::setCompared(std::vector<RunCurves> curves) {
    m_compared = std::move(curves);
    if (comparison() != Comparison::Parallel) {
        draw();
    }
}

void RunsComparison::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shown != nullptr) {
        draw();
    }
}

// Brushes belong to what is seen: a table filtered by a chart that is not there would be a riddle.
void RunsComparison::choose() {
    if (comparison() != Comparison::Parallel) {
        m_parallel->clearBrushes();
    }
    m_metric->setVisible(drawsMetric(comparison()));
    m_paper->setVisible(drawsMetric(comparison()));
    draw();
}

void RunsComparison::draw() {
    m_shown->setCurrentIndex(comparison() == Comparison::Parallel                          ? 2
                             : comparison() == Comparison::ErrorMap && !m_compared.empty() ? 1
                                                                                           : 0);
    m_card->setNote({});
    if (comparison() == Comparison::Parallel) {
        drawParallel();
    } else if (m_shown->currentIndex() == 1) {
        m_card->setNote(tr("of %1").arg(QString::fromStdString(m_compared.front().run.id)));
        m_map->setData(errorMap(m_compared.front()));
    } else {
        drawCurves();
    }
}

void RunsComparison::drawParallel() {
    const ParallelRuns runs = parallelRuns(m_onShow);
    m_parallel->setData(runs.axes, runs.lines);
    m_parallel->setHighlighted(m_selected);
    m_parallel->setEmptyText(tr("No runs are on show above. Every run is a line here."));
    m_card->setNote(tr("drag along an axis: only runs inside stay, here and above"));
}

void RunsComparison::drawCurves() {
    const bool metrics = drawsMetric(comparison());
    const QList<PublishedCurve> published =
        metrics ? publishedCurves(m_published, chosenMetric(), comparison())
                : QList<PublishedCurve>();
    fillPublished(published);
    // The paper's results can stand alone.
    ComparisonPlot plot = m_compared.empty() && !metrics
                              ? ComparisonPlot()
                              : compareRuns(m_compared, comparison(), chosenMetric());
    QStringList tables;
    for (const PublishedCurve& overlay : published) {
        if (m_overlaid.contains(overlay.key)) {
            Curve curve = overlay.curve;
            curve.colour = theme().series[plot.curves.size() % theme().series.size()];
            plot.curves.append(curve);
            tables << overlay.key.section(' ', 0, 0);
        }
    }
    tables.removeDuplicates();
    if (!tables.isEmpty()) {
        plot.note += (plot.note.isEmpty() ? QString() : QStringLiteral(" · ")) +
                     tr("from the paper: %1, table %2")
                         .arg(QString::fromLatin1(kPaperSource), tables.join(QStringLiteral(", ")));
    }
    if (m_compared.empty()) {
        plot.emptyText =
            m_stored.empty()
                ? tr("<p style='font-size:large; color:%1'>No runs are stored yet</p><p>Every run "
                     "is kept and listed above. The first one is a click on <b>Run</b> away.</p>")
                      .arg(theme().text.name())
                : tr("Select one run or several above (Ctrl+click) to compare them here.");
    }
    m_card->setNote(plot.note);
    m_chart->setEmptyText(plot.emptyText);
    m_chart->setAxisTitles(plot.xTitle, plot.yTitle);
    m_chart->setXTicks(plot.xTicks);
    m_chart->setWholeX(plot.wholeX);
    m_chart->setCurves(plot.curves);
    m_chart->setEmptyText(plot.emptyText);
}

// A model of a table at a time: all at once would be a thicket.
void RunsComparison::fillPublished(const QList<PublishedCurve>& curves) {
    m_paperMenu->clear();
    QStringList keys;
    for (const PublishedCurve& curve : curves) {
        if (keys.contains(curve.key)) {
            continue;
        }
        keys << curve.key;
        QAction* action = m_paperMenu->addAction(
            tr("%1 (table %2)").arg(curve.key.section(' ', 1), curve.key.section(' ', 0, 0)));
        action->setCheckable(true);
        action->setChecked(m_overlaid.contains(curve.key));
        connect(action, &QAction::toggled, this, [this, key = curve.key](bool on) {
            on ? void(m_overlaid.insert(key)) : void(m_overlaid.remove(key));
            // The menu that sends this signal is made anew.
            QMetaObject::invokeMethod(this, &RunsComparison::draw, Qt::QueuedConnection);
        });
    }
    m_paper->setEnabled(!keys.isEmpty());
    m_paper->setToolTip(
        keys.isEmpty()
            ? tr("The paper prints accuracies and perplexities of lm-eval's tasks against CR, ρ or "
                 "iterations: choose such a value, for example piqa/acc_norm")
            : tr("Lays results of the paper's tables over the chart, with their source"));
}

}  // namespace cospadi::ui
