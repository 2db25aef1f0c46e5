#include "ui/pages/runs/runs_comparison.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLocale>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

#include "core/report/sweep_matrix.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/small_multiples.h"
#include "ui/models/error_words.h"
#include "ui/models/run_looks.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/ablation_comparison.h"
#include "ui/pages/runs/comparison_box.h"
#include "ui/pages/runs/error_maps.h"
#include "ui/pages/runs/parallel_bar.h"
#include "ui/pages/runs/parallel_comparison.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace cospadi::ui {

namespace {

std::optional<RunRow> pinnedAmong(const std::vector<RunRow>& runs) {
    const std::string id = pinnedRun().toStdString();
    const auto found =
        std::find_if(runs.begin(), runs.end(), [&](const RunRow& run) { return run.id == id; });
    return found == runs.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

RunsComparison::RunsComparison(QWidget* parent) : QWidget(parent) {
    m_card = new Card(tr("Comparison"));
    m_comparison = new ComparisonBox;
    m_chart = new CurveChart;
    m_chart->setObjectName(QStringLiteral("comparisonChart"));
    m_chart->setAccessibleName(tr("Comparison of the selected runs"));
    m_noRuns = new EmptyState("noRuns", EmptyState::smallRun());
    m_noRuns->setWords(tr("No runs are stored yet"),
                       tr("Every run is kept and listed above; selected ones are compared here."));
    connect(m_noRuns, &EmptyState::wanted, this, &RunsComparison::smallRunWanted);
    m_ablation = new AblationComparison(m_chart, this);
    m_maps = new ErrorMaps;
    m_parallel = new ParallelComparison(this);
    m_sweep = new SweepView;
    connect(m_sweep, &SweepView::opened, this, &RunsComparison::runWanted);
    connect(m_sweep, &SweepView::sweepWanted, this, &RunsComparison::sweepWanted);
    connect(m_sweep, &SweepView::filled, this, [this] {
        if (comparison() == Comparison::Sweep) {
            m_card->setNote(m_sweep->note());
        }
    });
    connect(m_parallel, &ParallelComparison::chosen, this, &RunsComparison::drawParallel);
    connect(m_parallel, &ParallelComparison::brushed, this, &RunsComparison::brushed);
    connect(m_parallel, &ParallelComparison::coloured, this, &RunsComparison::coloured);
    auto* save = new ExportButton([this] {
        const QWidget* shown = m_shown->currentWidget();
        return shown == m_sweep       ? m_sweep->exportSource()
               : shown == multiples() ? multiples()->exportSource(QStringLiteral("ablation"))
               : shown == m_maps      ? m_maps->exportSource()
               : shown == parallel()  ? parallel()->exportSource(QStringLiteral("runs"))
                                      : m_chart->exportSource(QStringLiteral("comparison"));
    });
    for (QWidget* widget : std::initializer_list<QWidget*>{m_comparison, save}) {
        m_card->headerRow()->addWidget(widget);
    }
    m_card->body()->addWidget(bar());
    m_card->body()->addWidget(parallelBar());
    m_shown = new QStackedWidget;
    m_shown->addWidget(m_chart);
    m_shown->addWidget(m_maps);
    m_shown->addWidget(parallel());
    m_shown->addWidget(multiples());
    m_shown->addWidget(m_sweep);
    m_shown->addWidget(m_noRuns);
    m_card->body()->addWidget(m_shown, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_card);
    connect(m_comparison, &QComboBox::currentIndexChanged, this, &RunsComparison::choose);
    connect(m_ablation, &AblationComparison::chosen, this, &RunsComparison::draw);
    connect(m_ablation, &AblationComparison::coloured, this, &RunsComparison::coloured);
    connect(m_ablation, &AblationComparison::found, this, [this] {
        if (comparison() == Comparison::Ablation) {
            drawAblation();
        }
    });
    connect(save, &ExportButton::exported, this, &RunsComparison::exported);
    choose();
}

QHBoxLayout* RunsComparison::headerRow() const { return m_card->headerRow(); }

AblationBar* RunsComparison::bar() const { return m_ablation->bar(); }
SmallMultiples* RunsComparison::multiples() const { return m_ablation->multiples(); }
ParallelBar* RunsComparison::parallelBar() const { return m_parallel->bar(); }
ParallelCoordinates* RunsComparison::parallel() const { return m_parallel->view(); }

Comparison RunsComparison::comparison() const { return m_comparison->comparison(); }

bool RunsComparison::needsFiles() const {
    return comparison() != Comparison::Parallel && comparison() != Comparison::Ablation &&
           comparison() != Comparison::Sweep;
}

void RunsComparison::setComparison(Comparison comparison) {
    m_comparison->setComparison(comparison);
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
        m_parallel->highlight(m_selectedRows);
    }
}

void RunsComparison::setCompared(std::vector<RunCurves> curves) {
    m_compared = std::move(curves);
    m_isUnreadable = false;
    if (needsFiles()) {
        draw();
    }
}

void RunsComparison::setUnreadable() {
    m_compared.clear();
    m_isUnreadable = true;
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
        parallel()->clearBrushes();
    }
    bar()->setVisible(comparison() == Comparison::Ablation);
    parallelBar()->setVisible(comparison() == Comparison::Parallel);
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
        m_ablation->ask(m_selectedRows, m_onShow, pinnedAmong(m_stored));
        return;
    }
    const bool isMap = comparison() == Comparison::ErrorMap && !m_compared.empty();
    m_card->setNote({});
    if (comparison() == Comparison::Parallel) {
        showChart(parallel(), m_onShow.empty());
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

void RunsComparison::drawAblation() {
    const DrawnAblation drawn = m_ablation->draw();
    showChart(drawn.where, drawn.isEmpty);
    m_card->setNote(drawn.note);
}

void RunsComparison::drawParallel() { m_card->setNote(m_parallel->draw(m_onShow, m_selectedRows)); }

void RunsComparison::drawCurves() {
    ComparisonPlot plot =
        m_compared.empty() ? ComparisonPlot() : compareRuns(m_compared, comparison());
    if (m_compared.empty()) {
        plot.emptyText =
            m_isUnreadable ? tr("The selected runs cannot be read.")
            : !m_selectedRows.empty()
                ? tr("Reading the selected runs …")
                : tr("Select one or more runs above (Ctrl+click) to compare them here.");
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
