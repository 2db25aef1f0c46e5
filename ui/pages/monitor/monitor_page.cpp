#include "ui/pages/monitor/monitor_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/export_button.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/models/error_words.h"
#include "ui/models/matrix_table_model.h"
#include "ui/models/run_error_curves.h"
#include "ui/pages/monitor/cluster_list.h"
#include "ui/pages/monitor/earlier_runs.h"
#include "ui/pages/monitor/queue_list.h"
#include "ui/pages/monitor/usage_card.h"
#include "ui/widgets/card.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

namespace {
constexpr int kMostHighlighted = 6;
constexpr int kLogLines = 5000;
}  // namespace

MonitorPage::MonitorPage(RunController* run, RunQueue* queue, ClusterSweeps* clusters,
                         QWidget* parent)
    : QWidget(parent),
      m_run(run),
      m_queue(queue),
      m_sweeps(clusters),
      m_matrices(new MatrixTableModel(&run->trace(), this)),
      m_earlier(new EarlierRuns) {
    m_errorCard = makeErrorCard();
    m_usage = new UsageCard;
    connect(m_usage, &UsageCard::exported, this, &MonitorPage::exported);

    m_log = makeLog(QStringLiteral("log"), tr("Log of the run"));
    m_log->setPlaceholderText(tr("What the engine does, line by line."));
    m_openedLog = makeLog(QStringLiteral("openedLog"), tr("Log of the earlier run"));
    m_openedLog->setPlaceholderText(tr("This run left no log."));
    m_logs = new QStackedWidget;
    m_logs->addWidget(m_log);
    m_logs->addWidget(m_openedLog);

    auto* tableCard = new Card(tr("Details"));
    m_tabs = new QTabWidget;
    m_tabs->setObjectName(QStringLiteral("monitorDetails"));
    m_tabs->addTab(makeMatrices(), tr("Matrices"));
    m_queueTab = m_tabs->addTab(new QueueList(queue), tr("Queue"));
    m_clusters = new ClusterList(clusters);
    m_clustersTab = m_tabs->addTab(m_clusters, tr("Clusters"));
    m_tabs->addTab(m_logs, tr("Log"));
    tableCard->body()->addWidget(m_tabs, 1);

    auto* lower = new QSplitter(Qt::Horizontal);
    lower->setObjectName(QStringLiteral("monitorLowerSplitter"));
    lower->addWidget(m_usage);
    lower->addWidget(tableCard);
    lower->setSizes({420, 720});
    lower->setHandleWidth(8);
    auto* whole = new QSplitter(Qt::Vertical);
    whole->setObjectName(QStringLiteral("monitorSplitter"));
    whole->addWidget(m_errorCard);
    whole->addWidget(lower);
    whole->setSizes({420, 300});
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    lower->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(whole);

    connect(queue, &RunQueue::changed, this, &MonitorPage::countWaiting);
    connect(clusters, &ClusterSweeps::changed, this, &MonitorPage::countOnClusters);
    connect(run, &RunController::followingBegun, m_earlier, &EarlierRuns::close);
    connect(run, &RunController::traceChanged, this, &MonitorPage::showTrace);
    connect(run, &RunController::stateChanged, this, [this](RunController::State state) {
        if (state == RunController::State::Starting) {
            m_earlier->close();
        }
        showEmptyWords();
    });
    connect(m_earlier, &EarlierRuns::openedChanged, this, &MonitorPage::turnToOpened);
    connect(m_earlier, &EarlierRuns::referenceChanged, this, &MonitorPage::showErrors);
    connect(run, &RunController::logged, this,
            [this](const QStringList& lines) { m_log->appendPlainText(lines.join('\n')); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showErrors();
        showUsage();
    });
    showTrace();
    countWaiting();
    countOnClusters();
}

void MonitorPage::showClusters() { m_tabs->setCurrentIndex(m_clustersTab); }

void MonitorPage::countOnClusters() {
    const QList<ClusterSweep>& sweeps = m_sweeps->sweeps();
    const auto open = std::count_if(sweeps.begin(), sweeps.end(),
                                    [](const ClusterSweep& sweep) { return !sweep.isOver(); });
    m_tabs->setTabText(m_clustersTab, open > 0 ? tr("Clusters (%1)").arg(open) : tr("Clusters"));
}

QPlainTextEdit* MonitorPage::makeLog(const QString& objectName, const QString& words) const {
    auto* log = new QPlainTextEdit;
    log->setObjectName(objectName);
    log->setAccessibleName(words);
    log->setReadOnly(true);
    log->setMaximumBlockCount(kLogLines);
    log->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF() * 0.92);
    log->setFont(fixed);
    return log;
}

const RunTrace& MonitorPage::trace() const {
    return m_earlier->opened() != nullptr ? m_earlier->opened()->trace : m_run->trace();
}

void MonitorPage::turnToOpened() {
    const RunHistory* opened = m_earlier->opened();
    m_usage->startOver();
    m_matrices->setTrace(&trace());
    m_openedLog->setPlainText(opened != nullptr ? opened->log.join('\n') : QString());
    m_logs->setCurrentWidget(opened != nullptr ? m_openedLog : m_log);
    showTrace();
}

QWidget* MonitorPage::makeMatrices() {
    m_table = makeRowTable(QStringLiteral("matrixTable"), tr("Matrices of this run"), m_matrices);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setIconSize(QSize(10, 10));
    m_table->setTextElideMode(Qt::ElideMiddle);
    fitColumns(*m_table, MatrixTableModel::NameColumn);
    sayWhenEmpty(*m_table, tr("Every matrix of a run is listed here once work on it has started."));
    return m_table;
}

void MonitorPage::countWaiting() {
    const int waiting = m_queue->waiting();
    m_tabs->setTabText(m_queueTab, waiting > 0 ? tr("Queue (%1)").arg(waiting) : tr("Queue"));
}

Card* MonitorPage::makeErrorCard() {
    auto* card = new Card(tr("Reconstruction error"));
    m_errors = new CurveChart;
    m_errors->setObjectName(QStringLiteral("errorChart"));
    m_errors->setWholeX(true);
    m_errors->setLogarithmic(true);
    m_logarithmic = new QCheckBox(tr("log scale"));
    m_logarithmic->setChecked(true);
    m_logarithmic->setToolTip(tr("Logarithmic error axis; values ≤ 0 are left out"));
    auto* save = new ExportButton(
        [this] { return m_errors->exportSource(QStringLiteral("error-per-iteration")); });
    auto* smoothing = new QComboBox;
    smoothing->setObjectName(QStringLiteral("smoothing"));
    smoothing->setAccessibleName(tr("Smoothing"));
    smoothing->setToolTip(tr("Running mean over this many iterations, before the curve is drawn"));
    smoothing->addItem(tr("as measured"), 1);
    for (const int window : {3, 5, 11, 21}) {
        smoothing->addItem(tr("mean of %1").arg(window), window);
    }
    connect(smoothing, &QComboBox::currentIndexChanged, this,
            [this, smoothing] { m_errors->setSmoothing(smoothing->currentData().toInt()); });
    card->headerRow()->addWidget(m_earlier->referenceBox());
    card->headerRow()->addWidget(smoothing);
    card->headerRow()->addWidget(m_logarithmic);
    card->headerRow()->addWidget(save);
    card->body()->addWidget(m_earlier);
    card->body()->addWidget(m_errors, 1);
    card->body()->addWidget(makeFirstRun());
    connect(m_logarithmic, &QCheckBox::toggled, m_errors, &CurveChart::setLogarithmic);
    connect(save, &ExportButton::exported, this, &MonitorPage::exported);
    return card;
}

QWidget* MonitorPage::makeFirstRun() {
    m_firstRun = new QWidget;
    auto* button = new QPushButton(tr("Try &one block first"));
    button->setObjectName(QStringLiteral("tryOneBlock"));
    button->setToolTip(
        tr("Ticks only the first block and runs it with a short calibration: takes seconds, and "
           "explains the result"));
    auto* row = new QHBoxLayout(m_firstRun);
    row->setContentsMargins(0, 0, 0, 12);
    row->addStretch(1);
    row->addWidget(button);
    row->addStretch(1);
    connect(button, &QPushButton::clicked, this, &MonitorPage::smallRunWanted);
    return m_firstRun;
}

UsageChart* MonitorPage::usageChart() const { return m_usage->chart(); }

QStringList MonitorPage::highlighted() const {
    QStringList names;
    const auto& matrices = trace().matrices();
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (!rows.isEmpty()) {
        for (const QModelIndex& row : rows) {
            if (row.row() < matrices.size() && names.size() < theme().series.size()) {
                names << matrices[row.row()].name;
            }
        }
        return names;
    }
    for (auto i = std::max<qsizetype>(0, matrices.size() - kMostHighlighted); i < matrices.size();
         ++i) {
        names << matrices[i].name;
    }
    return names;
}

void MonitorPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_table != nullptr) {
        showErrors();
        showUsage();
    }
}

void MonitorPage::showTrace() {
    const bool atEnd =
        m_table->verticalScrollBar()->value() >= m_table->verticalScrollBar()->maximum() - 1;
    m_matrices->sync();
    if (atEnd) {
        m_table->scrollToBottom();
    }
    showErrors();
    showUsage();
}

void MonitorPage::showEmptyWords() {
    const bool isAtWork = m_run->isActive() || m_run->isFollowing();
    const bool wasAtWork = !m_run->ending().isEmpty();
    m_firstRun->setVisible(!isAtWork && !wasAtWork);
    const QString title = isAtWork    ? tr("No matrix has started yet")
                          : wasAtWork ? tr("The run ended before its first matrix")
                                      : tr("Nothing has run yet");
    const QString text =
        isAtWork ? tr("The model is read and calibrated first, where the method needs it; the bar "
                      "above shows the progress.")
        : wasAtWork
            ? tr("The log shows how.")
            : tr("Tick layers under Model, choose a compression ratio under Plan, then press "
                 "<b>Run</b>; the expected cost is shown next to it. Or start small:");
    m_errors->setEmptyText(QStringLiteral("<p style='font-size:large; color:%1'>%2</p>"
                                          "<p>%3<br>%4</p>")
                               .arg(theme().text.name(), title, text,
                                    tr("The error of every matrix is drawn here, iteration by "
                                       "iteration.")));
}

void MonitorPage::showErrors() {
    showEmptyWords();
    const QStringList names = highlighted();
    // A matrix keeps its colour for as long as it is highlighted.
    for (auto it = m_colourOf.begin(); it != m_colourOf.end();) {
        it = names.contains(it.key()) ? std::next(it) : m_colourOf.erase(it);
    }
    QHash<QString, QColor> colours;
    for (const QString& name : names) {
        if (!m_colourOf.contains(name)) {
            int colour = 0;
            while (m_colourOf.values().contains(colour)) {
                ++colour;
            }
            m_colourOf.insert(name, colour);
        }
        colours.insert(name, theme().series[m_colourOf[name] % theme().series.size()]);
    }
    const RunTrace& shown = trace();
    QList<Curve> curves =
        m_earlier->reference() == nullptr
            ? QList<Curve>()
            : referenceCurves(*m_earlier->reference(), colours, m_earlier->referenceName());
    const QString reference =
        m_earlier->reference() == nullptr
            ? QString()
            : tr("; finer dashes: %1").arg(m_earlier->referenceName().toHtmlEscaped());
    curves += runErrorCurves(shown, colours);
    m_errors->setCurves(curves);
    m_matrices->setColours(colours);
    const QString error = errorNote(shown.isWhitened());
    const QString looks =
        (shown.hasHeldOut()
             ? tr("%1, per iteration; dashed: on held-out text; dots: as stored").arg(error)
             : tr("%1, per iteration; dots: as stored").arg(error)) +
        reference;
    m_errors->setAxisTitles(tr("iteration"),
                            errorTitle(errorKind(shown.isWhitened(), !shown.isWhitened())));
    m_errorCard->setToolTip(errorHelp(shown.isWhitened()));
    m_errorCard->setNote(shown.expected() > 0 ? tr("%2 of %3 matrices done · %1")
                                                    .arg(looks)
                                                    .arg(shown.finished())
                                                    .arg(shown.expected())
                                              : looks);
}

void MonitorPage::showUsage() {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    m_usage->showUsage(trace(), rows.isEmpty() ? -1 : rows.last().row());
}

}  // namespace cospadi::ui
