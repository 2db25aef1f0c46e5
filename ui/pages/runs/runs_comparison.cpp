#include "ui/pages/runs/runs_comparison.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/report/measured_value.h"
#include "core/report/sweep_matrix.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/small_multiples.h"
#include "ui/models/error_words.h"
#include "ui/models/run_axes.h"
#include "ui/models/run_looks.h"
#include "ui/models/saved_views.h"
#include "ui/pages/runs/error_maps.h"
#include "ui/pages/runs/paper_menu.h"
#include "ui/pages/runs/parallel_bar.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

constexpr int kMostPlots = 12;  // beside each other
const char* const kComparisonSetting = "runs/comparison";

std::optional<RunRow> pinnedAmong(const std::vector<RunRow>& runs) {
    const std::string id = pinnedRun().toStdString();
    const auto found =
        std::find_if(runs.begin(), runs.end(), [&](const RunRow& run) { return run.id == id; });
    return found == runs.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

RunsComparison::RunsComparison(QWidget* parent) : QWidget(parent) {
    m_card = new Card(tr("Comparison"));
    m_comparison = new QComboBox;
    m_comparison->setAccessibleName(tr("What is compared"));
    m_comparison->setObjectName(QStringLiteral("comparison"));
    const std::pair<QString, Comparison> comparisons[] = {
        {tr("error by matrix"), Comparison::ErrorByLayer},
        {tr("error map: blocks × kinds"), Comparison::ErrorMap},
        {tr("error against iteration"), Comparison::ErrorByIteration},
        {tr("ablation: a value over a setting"), Comparison::Ablation},
        {tr("parallel coordinates"), Comparison::Parallel},
        {tr("a sweep: settings by settings"), Comparison::Sweep}};
    for (const auto& [words, comparison] : comparisons) {
        m_comparison->addItem(words, static_cast<int>(comparison));
    }
    m_bar = new AblationBar;
    m_paper = new PaperMenu;
    connect(m_paper, &PaperMenu::chosen, this, &RunsComparison::draw);
    m_chart = new CurveChart;
    m_chart->setObjectName(QStringLiteral("comparisonChart"));
    m_chart->setAccessibleName(tr("Comparison of the selected runs"));
    m_noRuns = new EmptyState("noRuns", EmptyState::smallRun());
    m_noRuns->setWords(
        tr("No runs are stored yet"),
        tr("Every run is kept and listed above; those that are selected are compared "
           "here."));
    connect(m_noRuns, &EmptyState::wanted, this, &RunsComparison::smallRunWanted);
    m_multiples = new SmallMultiples;
    m_multiples->setObjectName(QStringLiteral("ablationPlots"));
    m_maps = new ErrorMaps;
    m_parallel = new ParallelCoordinates;
    m_parallel->setObjectName(QStringLiteral("parallelCoordinates"));
    m_parallelBar = new ParallelBar;
    m_sweep = new SweepView;
    connect(m_sweep, &SweepView::opened, this, &RunsComparison::runWanted);
    connect(m_sweep, &SweepView::sweepWanted, this, &RunsComparison::sweepWanted);
    connect(m_sweep, &SweepView::filled, this, [this] {
        if (comparison() == Comparison::Sweep) {
            m_card->setNote(m_sweep->note());
        }
    });
    connect(m_parallelBar, &ParallelBar::chosen, this, &RunsComparison::drawParallel);
    connect(m_parallel, &ParallelCoordinates::axisMoved, m_parallelBar, &ParallelBar::move);
    auto* save = new ExportButton([this] {
        return m_shown->currentWidget() == m_sweep ? m_sweep->exportSource()
               : m_shown->currentWidget() == m_multiples
                   ? m_multiples->exportSource(QStringLiteral("ablation"))
               : m_shown->currentWidget() == m_maps ? m_maps->exportSource()
               : m_shown->currentWidget() == m_parallel
                   ? m_parallel->exportSource(QStringLiteral("runs"))
                   : m_chart->exportSource(QStringLiteral("comparison"));
    });
    m_bar->row()->addWidget(m_paper);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_comparison, save}) {
        m_card->headerRow()->addWidget(widget);
    }
    m_card->body()->addWidget(m_bar);
    m_card->body()->addWidget(m_parallelBar);
    m_shown = new QStackedWidget;
    m_shown->addWidget(m_chart);
    m_shown->addWidget(m_maps);
    m_shown->addWidget(m_parallel);
    m_shown->addWidget(m_multiples);
    m_shown->addWidget(m_sweep);
    m_shown->addWidget(m_noRuns);
    m_card->body()->addWidget(m_shown, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_card);
    setComparison(
        comparisonFromName(QSettings().value(QLatin1String(kComparisonSetting)).toString()));
    connect(m_comparison, &QComboBox::currentIndexChanged, this, [this] {
        QSettings().setValue(QLatin1String(kComparisonSetting), comparisonName(comparison()));
        choose();
    });
    connect(m_bar, &AblationBar::chosen, this, &RunsComparison::draw);
    connect(save, &ExportButton::exported, this, &RunsComparison::exported);
    connect(m_parallel, &ParallelCoordinates::brushed, this, [this] {
        emit brushed(m_parallel->isBrushed() ? std::optional(m_parallel->passing()) : std::nullopt);
    });
    choose();
}

QHBoxLayout* RunsComparison::headerRow() const { return m_card->headerRow(); }

Comparison RunsComparison::comparison() const {
    return static_cast<Comparison>(m_comparison->currentData().toInt());
}

bool RunsComparison::needsFiles() const {
    return comparison() != Comparison::Parallel && comparison() != Comparison::Ablation &&
           comparison() != Comparison::Sweep;
}

void RunsComparison::setComparison(Comparison comparison) {
    m_comparison->setCurrentIndex(m_comparison->findData(static_cast<int>(comparison)));
}

void RunsComparison::setStored(const std::vector<RunRow>& stored) {
    m_stored = stored;
    m_sweep->setRuns(stored);
    draw();
}

void RunsComparison::setOnShow(const std::vector<RunRow>& runs) {
    m_onShow = runs;
    if (comparison() == Comparison::Parallel) {
        drawParallel();
    } else if (comparison() == Comparison::Ablation && m_selectedRows.empty()) {
        draw();
    }
}

void RunsComparison::setSelected(const std::vector<RunRow>& runs) {
    m_selectedRows = runs;
    if (const std::set<std::string> sweeps = sweepNames(runs); sweeps.size() == 1) {
        m_sweep->choose(QString::fromStdString(*sweeps.begin()));
    }
    if (comparison() == Comparison::Ablation) {
        draw();
    } else if (comparison() == Comparison::Parallel) {
        highlightSelected();
    }
}

void RunsComparison::setCompared(std::vector<RunCurves> curves) {
    m_compared = std::move(curves);
    if (needsFiles()) {
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
    m_bar->setVisible(comparison() == Comparison::Ablation);
    m_parallelBar->setVisible(comparison() == Comparison::Parallel);
    draw();
    if (needsFiles()) {
        emit filesWanted();
    }
}

void RunsComparison::showChart(QWidget* chart, bool isEmpty) {
    m_shown->setCurrentWidget(isEmpty && m_stored.empty() ? m_noRuns : chart);
}

void RunsComparison::draw() {
    if (comparison() != Comparison::ErrorByLayer && comparison() != Comparison::ErrorByIteration) {
        emit coloured({});
    }
    if (comparison() == Comparison::Ablation) {
        askForAblation();
        return;
    }
    const bool isMap = comparison() == Comparison::ErrorMap && !m_compared.empty();
    m_card->setNote({});
    if (comparison() == Comparison::Parallel) {
        showChart(m_parallel, m_onShow.empty());
        drawParallel();
    } else if (comparison() == Comparison::Sweep) {
        m_shown->setCurrentWidget(m_sweep);
        m_card->setNote(m_sweep->note());
    } else if (isMap) {
        m_shown->setCurrentWidget(m_maps);
        m_card->setNote(m_maps->setRuns(m_compared));
    } else {
        showChart(m_chart, m_compared.empty());
        drawCurves();
    }
}

// Reading the settings of thousands of runs takes a second.
void RunsComparison::askForAblation() {
    m_ablating.ask(
        [runs = m_selectedRows.empty() ? m_onShow : m_selectedRows, axes = m_bar->choice().axes,
         pinned = pinnedAmong(m_stored)] { return foundAblation(runs, axes, pinned); },
        [this](FoundAblation found) {
            m_ablated = std::move(found);
            m_bar->setNames(m_ablated.names);
            if (comparison() == Comparison::Ablation) {
                drawAblation();
            }
        },
        [](const Error&) {});
}

void RunsComparison::drawAblation() {
    const AblationCharts plots = chartsOf(m_ablated);
    const AblationChoice choice = m_bar->choice();
    m_paper->setAxes(choice.axes.y, isMeasured(choice.axes.x) ? std::string() : choice.axes.x);
    emit coloured(plots.colours);
    QStringList notes;
    if (m_selectedRows.empty() && !m_onShow.empty()) {
        notes << tr("all %1 runs on show").arg(m_onShow.size());
    }
    notes << plots.note;
    const PlotAxes axes{plots.xTitle, plots.yTitle, plots.xTicks, choice.logarithmic, plots.wholeX};
    if (plots.charts.size() > 1) {
        QList<Multiple> multiples;
        for (const AblationChart& chart : plots.charts.mid(0, kMostPlots)) {
            multiples.append({chart.title, chart.curves});
        }
        if (plots.charts.size() > kMostPlots) {
            notes << tr("the first %1 of %2 plots").arg(kMostPlots).arg(plots.charts.size());
        }
        m_multiples->setMultiples(multiples, axes);
        m_shown->setCurrentWidget(m_multiples);
    } else {
        QList<Curve> curves = plots.charts.isEmpty() ? QList<Curve>() : plots.charts[0].curves;
        notes << m_paper->overlay(curves);
        m_chart->setEmptyText(
            !m_ablated.problem.isEmpty() ? m_ablated.problem
            : choice.axes.y == "perplexity"
                ? tr("No perplexity was measured for these runs. Select them and press Measure "
                     "perplexity.")
            : choice.axes.y.find('/') != std::string::npos
                ? tr("lm-eval did not measure %1 of these runs.")
                      .arg(QString::fromStdString(choice.axes.y))
                : tr("None of these runs has both values. ρ and iterations belong to CoSpaDi "
                     "runs."));
        const bool isError = choice.axes.x == "error" || choice.axes.y == "error";
        const std::vector<RunRow>& rows = m_selectedRows.empty() ? m_onShow : m_selectedRows;
        m_chart->setToolTip(isError ? errorHelp(errorKindOf(rows) != ErrorKind::Plain) : QString());
        m_chart->setAxes(axes);
        m_chart->setCurves(curves);
        showChart(m_chart, curves.isEmpty());
    }
    notes.removeAll(QString());
    m_card->setNote(notes.join(QStringLiteral(" · ")));
}

// The lines of selected runs, in the colours that these have in every chart.
void RunsComparison::highlightSelected() {
    QStringList ids;
    for (const RunRow& run : m_selectedRows) {
        ids << QString::fromStdString(run.id);
    }
    QHash<QString, LineLook> lines;
    QHash<QString, QColor> colours;
    if (ids.size() <= ParallelCoordinates::kMostInColour) {
        const QList<int> looks = looksOf(ids);
        for (qsizetype i = 0; i < ids.size(); ++i) {
            Curve curve;
            setRunLook(curve, ids[i], looks[i]);
            lines.insert(ids[i], {curve.colour, curve.pen});
            colours.insert(ids[i], curve.colour);
        }
    }
    m_parallel->setHighlighted(lines);
    emit coloured(m_parallelBar->colour().isEmpty() ? colours : QHash<QString, QColor>());
}

void RunsComparison::drawParallel() {
    const ParallelRuns all = arranged(parallelRuns(m_onShow), m_parallelBar->order(), {});
    m_parallelBar->setAxes(all.axes);
    const ParallelRuns runs = arranged(all, {}, m_parallelBar->hidden());
    m_parallel->setColourAxis(m_parallelBar->colour());
    m_parallel->setData(runs.axes, runs.lines);
    highlightSelected();
    m_parallel->setEmptyText(tr("No runs are on show above. Every run is a line here."));
    const bool tooMany = !m_parallelBar->colour().isEmpty() &&
                         runs.lines.size() > ParallelCoordinates::kMostColoured;
    m_card->setNote(
        tr("drag along an axis: only runs inside stay, here and above; drag its name: another "
           "place") +
        (tooMany ? tr("; coloured up to %1 runs")
                       .arg(QLocale().toString(ParallelCoordinates::kMostColoured))
                 : QString()));
}

void RunsComparison::drawCurves() {
    ComparisonPlot plot =
        m_compared.empty() ? ComparisonPlot() : compareRuns(m_compared, comparison());
    if (m_compared.empty()) {
        plot.emptyText =
            !m_selectedRows.empty()
                ? tr("Reading the selected runs …")
                : tr("Select one run or several above (Ctrl+click) to compare them here.");
    }
    if (!m_compared.empty() && m_compared.size() < m_selectedRows.size()) {
        m_card->setNote(
            tr("the first %1 of %2 selected runs")
                .arg(m_compared.size())
                .arg(QLocale().toString(static_cast<qlonglong>(m_selectedRows.size()))));
    }
    m_chart->setToolTip(errorHelp(errorKindOf(rowsOf(m_compared)) != ErrorKind::Plain));
    emit coloured(plot.colours);
    m_chart->setEmptyText(plot.emptyText);
    m_chart->setAxes({plot.xTitle, plot.yTitle, plot.xTicks, {}, plot.wholeX});
    m_chart->setCurves(plot.curves);
}

}  // namespace cospadi::ui
