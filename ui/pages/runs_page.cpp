#include "ui/pages/runs_page.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/report/report.h"
#include "ui/base/background.h"
#include "ui/base/theme.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/comparison_curves.h"
#include "ui/widgets/card.h"
#include "ui/widgets/curve_chart.h"
#include "ui/widgets/export_button.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/save_text.h"

namespace cospadi::ui {

RunsPage::RunsPage(QWidget* parent)
    : QWidget(parent),
      m_model(new RunsTableModel(this)),
      m_sorted(new QSortFilterProxyModel(this)) {
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(RunsTableModel::SortRole);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_sorted->setFilterKeyColumn(-1);
    auto* tableCard = new Card(tr("Stored runs"));
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("muted"));
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("runsTable"));
    m_table->setAccessibleName(tr("Stored runs"));
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RunsTableModel::DateColumn, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    // Wide enough for what a column usually holds; all twelve fit into a window of 1440 pixels.
    const char* usual[] = {"20261121-060…0-d953",
                           "interrupted",
                           "cospadi (ksvd 60)",
                           R"(\.attn_k$  (30))",
                           "0.20",
                           "2.00",
                           "99.9 MB",
                           "99.9 %",
                           "0.0000",
                           "999.9",
                           "99 min 99",
                           "2026-11-21 04:15"};
    for (int column = 0; column < RunsTableModel::ColumnCount; ++column) {
        const QString title = m_model->headerData(column, Qt::Horizontal).toString();
        m_table->setColumnWidth(
            column, std::max(fontMetrics().horizontalAdvance(QString::fromUtf8(usual[column])) + 10,
                             fontMetrics().horizontalAdvance(title) + 26));
    }
    m_table->horizontalHeader()->setStretchLastSection(true);
    tableCard->body()->addWidget(makeToolbar());
    tableCard->body()->addWidget(m_table, 1);
    tableCard->headerRow()->addWidget(m_count);

    m_chartCard = new Card(tr("Comparison of the selected runs"));
    m_comparison = new QComboBox;
    m_comparison->setAccessibleName(tr("What is compared"));
    m_comparison->setObjectName(QStringLiteral("comparison"));
    const std::pair<QString, Comparison> comparisons[] = {
        {tr("error by matrix"), Comparison::ErrorByLayer},
        {tr("error map: blocks × kinds"), Comparison::ErrorMap},
        {tr("error against iteration"), Comparison::ErrorByIteration},
        {tr("perplexity against bytes"), Comparison::PerplexityByBytes},
        {tr("perplexity against CR"), Comparison::PerplexityByCr},
        {tr("perplexity against ρ"), Comparison::PerplexityByRho},
        {tr("perplexity against iterations"), Comparison::PerplexityByIterations},
        {tr("error against bytes"), Comparison::ErrorByBytes},
        {tr("error against CR"), Comparison::ErrorByCr},
        {tr("error against ρ"), Comparison::ErrorByRho},
        {tr("error against iterations"), Comparison::ErrorByIterations}};
    for (const auto& [words, comparison] : comparisons) {
        m_comparison->addItem(words, static_cast<int>(comparison));
    }
    m_comparison->setMaxVisibleItems(12);
    auto* save = new ExportButton([this] {
        const QString name = QStringLiteral("comparison");
        return m_shown->currentWidget() == m_map ? m_map->exportSource(name)
                                                 : m_chart->exportSource(name);
    });
    m_chartCard->headerRow()->addWidget(m_comparison);
    m_chartCard->headerRow()->addWidget(save);
    m_chart = new CurveChart;
    m_chart->setObjectName(QStringLiteral("comparisonChart"));
    m_map = new HeatMap;
    m_map->setObjectName(QStringLiteral("errorMap"));
    m_map->setAccessibleName(tr("Error by block and kind"));
    m_shown = new QStackedWidget;
    m_shown->addWidget(m_chart);
    m_shown->addWidget(m_map);
    m_chartCard->body()->addWidget(m_shown, 1);

    auto* whole = new QSplitter(Qt::Vertical);
    whole->addWidget(tableCard);
    whole->addWidget(m_chartCard);
    whole->setSizes({330, 370});
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(whole);

    connect(m_filter, &QLineEdit::textChanged, m_sorted,
            &QSortFilterProxyModel::setFilterFixedString);
    connect(m_comparison, &QComboBox::currentIndexChanged, this, &RunsPage::drawComparison);
    connect(save, &ExportButton::exported, this, &RunsPage::exported);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::compareSelected);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        emit patternRequested(
            QString::fromStdString(m_model->run(m_sorted->mapToSource(index).row()).directory));
    });
    drawComparison();
    updateButtons();
}

QWidget* RunsPage::makeToolbar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("runsFilter"));
    m_filter->setPlaceholderText(tr("Filter: any word of a row, e.g. ksvd or ffn_up"));
    m_filter->setAccessibleName(tr("Filter the runs"));
    m_filter->setClearButtonEnabled(true);
    m_evaluate = new QPushButton(icon(QStringLiteral("measure")), tr("Measure perplexity"));
    m_evaluate->setObjectName(QStringLiteral("measurePerplexity"));
    m_evaluate->setToolTip(
        tr("WikiText-2 perplexity of the selected run: how much the whole model "
           "suffers (lower is better). Some minutes."));
    m_resume = new QPushButton(icon(QStringLiteral("resume")), tr("Resume"));
    m_resume->setObjectName(QStringLiteral("resumeRun"));
    m_resume->setToolTip(tr("Go on with the selected run from its last finished matrix"));
    auto* tables = new QPushButton(icon(QStringLiteral("export")), tr("Export table"));
    tables->setObjectName(QStringLiteral("exportTable"));
    tables->setToolTip(tr("Selected rows, or all on show, as a table for a paper"));
    auto* menu = new QMenu(tables);
    menu->addAction(tr("LaTeX (booktabs)…"), this,
                    [this] { exportTable(QStringLiteral("latex"), QStringLiteral("tex")); });
    menu->addAction(tr("CSV…"), this,
                    [this] { exportTable(QStringLiteral("csv"), QStringLiteral("csv")); });
    menu->addAction(tr("Markdown…"), this,
                    [this] { exportTable(QStringLiteral("md"), QStringLiteral("md")); });
    tables->setMenu(menu);
    auto* refreshButton = new QToolButton;
    refreshButton->setIcon(icon(QStringLiteral("refresh")));
    refreshButton->setToolTip(tr("Read the runs directory again (F5)"));
    refreshButton->setAccessibleName(tr("Refresh"));
    refreshButton->setShortcut(QKeySequence::Refresh);
    m_plan = new QPushButton(tr("Plan from it"));
    m_plan->setObjectName(QStringLiteral("planFromRun"));
    m_plan->setToolTip(tr("Puts the selected run's method, figures and layers into the plan"));
    row->addWidget(m_filter, 1);
    row->addWidget(m_plan);
    row->addWidget(m_resume);
    row->addWidget(m_evaluate);
    row->addWidget(tables);
    row->addWidget(refreshButton);
    connect(refreshButton, &QToolButton::clicked, this, &RunsPage::refresh);
    connect(m_plan, &QPushButton::clicked, this, [this] {
        const std::vector<RunRow> runs = selectedRuns();
        if (!runs.empty()) {
            emit planRequested(runs.front());
        }
    });
    connect(m_resume, &QPushButton::clicked, this, [this] {
        const std::vector<RunRow> runs = selectedRuns();
        if (!runs.empty()) {
            emit resumeRequested(runs.front());
        }
    });
    connect(m_evaluate, &QPushButton::clicked, this, [this] {
        const std::vector<RunRow> runs = selectedRuns();
        if (!runs.empty()) {
            emit evaluationRequested(runs.front());
        }
    });
    return bar;
}

void RunsPage::refresh() {
    if (m_reading) {
        m_readAgain = true;
        return;
    }
    m_reading = true;
    runInBackground(
        this, [] { return readRunCatalog(currentRunsDirectory()); },
        [this](RunCatalog catalog) { showCatalog(std::move(catalog)); },
        [this](const Error& error) {
            m_reading = false;
            emit problem(QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint()));
        });
}

void RunsPage::showCatalog(RunCatalog catalog) {
    m_reading = false;
    QStringList selected;
    for (const RunRow& run : selectedRuns()) {
        selected << QString::fromStdString(run.id);
    }
    if (!m_selectNext.isEmpty()) {
        selected = QStringList{m_selectNext};
        m_selectNext.clear();
    }
    m_model->setRuns(std::move(catalog.runs));
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex index = m_sorted->index(row, 0);
        if (selected.contains(index.data(RunsTableModel::IdRole).toString())) {
            m_table->selectionModel()->select(
                index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
    }
    m_count->setText(m_model->rowCount() == 1 ? tr("1 run")
                                              : tr("%1 runs").arg(m_model->rowCount()));
    m_count->setToolTip(catalog.warnings.join('\n'));
    emit runsChanged(m_model->runs());
    compareSelected();
    if (std::exchange(m_readAgain, false)) {
        refresh();
    }
}

void RunsPage::selectAll() { m_table->selectAll(); }

std::vector<RunRow> RunsPage::selectedRuns() const {
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    std::vector<RunRow> runs;
    for (const QModelIndex& row : rows) {
        runs.push_back(m_model->run(m_sorted->mapToSource(row).row()));
    }
    return runs;
}

void RunsPage::updateButtons() {
    const std::vector<RunRow> runs = selectedRuns();
    const bool one = runs.size() == 1;
    m_plan->setEnabled(one);
    m_evaluate->setEnabled(one && runs.front().status == "finished");
    m_resume->setEnabled(one && runs.front().status != "finished");
}

void RunsPage::compareSelected() {
    updateButtons();
    const std::uint64_t generation = ++m_generation;
    const std::vector<RunRow> runs = selectedRuns();
    if (runs.empty()) {
        m_compared.clear();
        drawComparison();
        return;
    }
    runInBackground(
        this, [runs] { return readRunCurves(runs); },
        [this, generation](std::vector<RunCurves> curves) {
            if (generation == m_generation) {
                m_compared = std::move(curves);
                drawComparison();
            }
        },
        [this](const Error& error) {
            emit problem(QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint()));
        });
}

void RunsPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_chart != nullptr) {
        drawComparison();
    }
}

void RunsPage::drawComparison() {
    if (m_compared.empty()) {
        m_shown->setCurrentWidget(m_chart);
        m_chartCard->setNote({});
        m_chart->setEmptyText(
            m_model->rowCount() == 0
                ? tr("<p style='font-size:large; color:%1'>No runs are stored yet</p><p>Every run "
                     "is "
                     "kept and listed above. The first one is a click on <b>Run</b> away.</p>")
                      .arg(theme().text.name())
                : tr("Select one run or several above (Ctrl+click) to compare them here."));
        m_chart->setCurves({});
        return;
    }
    const auto comparison = static_cast<Comparison>(m_comparison->currentData().toInt());
    const bool map = comparison == Comparison::ErrorMap;
    m_shown->setCurrentWidget(map ? static_cast<QWidget*>(m_map) : m_chart);
    m_chartCard->setNote(map ? tr("of %1").arg(QString::fromStdString(m_compared.front().run.id))
                             : QString());
    if (map) {
        m_map->setData(errorMap(m_compared.front()));
        return;
    }
    const ComparisonPlot plot = compareRuns(m_compared, comparison);
    m_chart->setAxisTitles(plot.xTitle, plot.yTitle);
    m_chart->setXTicks(plot.xTicks);
    m_chart->setWholeX(plot.wholeX);
    m_chart->setCurves(plot.curves);
    m_chart->setEmptyText(plot.emptyText);
}

QString RunsPage::tableText(const QString& format) const {
    std::vector<RunRow> runs = selectedRuns();
    if (runs.empty()) {
        for (int row = 0; row < m_sorted->rowCount(); ++row) {
            runs.push_back(m_model->run(m_sorted->mapToSource(m_sorted->index(row, 0)).row()));
        }
    }
    return QString::fromStdString(
        cospadi::render(tableOfRuns(runs), reportFormatFromName(format.toStdString())));
}

void RunsPage::exportTable(const QString& format, const QString& suffix) {
    saveTextAs(
        this,
        {tr("Export the table"), QStringLiteral("runs.") + suffix, suffix,
         [this, format] { return tableText(format); }},
        [this](const QString& path) { emit exported(path); },
        [this](const QString& problem) { emit exportFailed(problem); });
}

}  // namespace cospadi::ui
