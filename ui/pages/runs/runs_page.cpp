#include "ui/pages/runs/runs_page.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/report/report.h"
#include "ui/base/background.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/error_maps.h"
#include "ui/pages/runs/figures_menu.h"
#include "ui/pages/runs/run_actions.h"
#include "ui/pages/runs/run_buttons.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/saved_views_menu.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/widgets/save_text.h"

namespace cospadi::ui {

RunsPage::RunsPage(QWidget* parent)
    : QWidget(parent),
      m_list(new RunsList),
      m_comparison(new RunsComparison),
      m_actions(new RunActions(this)),
      m_buttons(new RunButtons),
      m_marks(m_list->model()) {
    addButtons();
    auto* whole = new QSplitter(Qt::Vertical);
    whole->setObjectName(QStringLiteral("runsSplitter"));
    whole->addWidget(m_list);
    whole->addWidget(m_comparison);
    whole->setSizes({330, 370});
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(whole);
    connect(m_list, &RunsList::selectionChanged, this, [this] {
        m_selectNext.clear();  // what is chosen meanwhile stays
        compareSelected();
    });
    connect(m_list, &RunsList::onShowChanged, this,
            [this] { m_comparison->setOnShow(m_list->passing()); });
    connect(m_list, &RunsList::opened, this, [this](const RunRow& run) {
        emit patternRequested(QString::fromStdString(run.directory));
    });
    // Queued: what was typed is taken over first.
    connect(
        m_list, &RunsList::editingEnded, this,
        [this] {
            if (!m_list->isEditing() && std::exchange(m_isRefreshDue, false)) {
                refresh();
            }
        },
        Qt::QueuedConnection);
    auto* views = new SavedViewsMenu(m_list, m_comparison, this);
    connect(m_list, &RunsList::viewMenuWanted, views, &SavedViewsMenu::addTo);
    connectComparison();
    connectMarks();
    connectActions();
    m_buttons->setSelected(selectedRuns());
}

void RunsPage::addButtons() {
    m_list->toolbar()->addWidget(m_buttons);
    connect(m_buttons, &RunButtons::refreshWanted, this, &RunsPage::refresh);
    connect(m_buttons, &RunButtons::tableWanted, this, &RunsPage::exportTable);
    connect(m_buttons, &RunButtons::moreMenuWanted, this, [this](QMenu* menu) {
        if (const std::vector<RunRow> runs = selectedRuns(); !runs.empty()) {
            m_actions->fill(menu, runs);
        }
    });
    const auto ofTheRun = [this](void (RunButtons::*asked)(),
                                 void (RunsPage::*wanted)(const RunRow&)) {
        connect(m_buttons, asked, this, [this, wanted] {
            const std::vector<RunRow> runs = selectedRuns();
            if (!runs.empty()) {
                emit(this->*wanted)(runs.front());
            }
        });
    };
    ofTheRun(&RunButtons::planWanted, &RunsPage::planRequested);
    ofTheRun(&RunButtons::resumeWanted, &RunsPage::resumeRequested);
    connect(m_buttons, &RunButtons::measureWanted, this,
            [this] { emit evaluationRequested(selectedFinished()); });
}

void RunsPage::connectComparison() {
    auto* figures = new FiguresMenu(m_list, m_comparison);
    m_comparison->headerRow()->addWidget(figures);
    connect(figures, &FiguresMenu::failed, this, &RunsPage::tell);
    connect(m_comparison, &RunsComparison::brushed, m_list, &RunsList::setBrushed);
    connect(m_comparison, &RunsComparison::exported, this, &RunsPage::exported);
    connect(m_comparison, &RunsComparison::runWanted, this, &RunsPage::monitorRequested);
    connect(m_comparison, &RunsComparison::smallRunWanted, this, &RunsPage::smallRunWanted);
    connect(m_comparison, &RunsComparison::sweepWanted, this, &RunsPage::sweepWanted);
    connect(m_comparison, &RunsComparison::filesWanted, this, &RunsPage::compareSelected);
    connect(m_comparison, &RunsComparison::coloured, model(), &RunsTableModel::setColours);
}

void RunsPage::connectMarks() {
    connect(m_list, &RunsList::starsWanted, &m_marks, &MarkWriter::star);
    connect(m_list, &RunsList::archiveWanted, &m_marks, &MarkWriter::archive);
    connect(m_list, &RunsList::tagWanted, &m_marks, &MarkWriter::addTag);
    connect(m_list, &RunsList::tagsWanted, &m_marks, &MarkWriter::replaceTags);
    connect(m_list, &RunsList::noteWanted, &m_marks, &MarkWriter::setNote);
    connect(&m_marks, &MarkWriter::marked, this, &RunsPage::announceRuns);
    connect(&m_marks, &MarkWriter::written, this, [this] {
        m_readAgain = m_readAgain || m_reading;  // what is being read may be from before
    });
    connect(&m_marks, &MarkWriter::outdated, this, &RunsPage::refresh);
    connect(&m_marks, &MarkWriter::failed, this, [this](const Error& error) {
        tell(error);
        refresh();  // what could not be written does not stand there either
    });
}

void RunsPage::connectActions() {
    connect(m_list, &RunsList::menuWanted, this, [this](const QPoint& place) {
        auto* menu = new QMenu(this);
        menu->setObjectName(QStringLiteral("runMenu"));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        m_actions->fill(menu, selectedRuns());
        menu->popup(place);
    });
    connect(m_actions, &RunActions::monitorWanted, this, [this](const RunRow& run) {
        emit monitorRequested(QString::fromStdString(run.directory), nameOf(run));
    });
    connect(m_actions, &RunActions::patternWanted, this, [this](const RunRow& run) {
        emit patternRequested(QString::fromStdString(run.directory));
    });
    connect(m_actions, &RunActions::planWanted, this, &RunsPage::planRequested);
    connect(m_actions, &RunActions::resumeWanted, this, &RunsPage::resumeRequested);
    connect(m_actions, &RunActions::measureWanted, this, &RunsPage::evaluationRequested);
    connect(m_actions, &RunActions::compareWanted, this,
            [this] { m_comparison->setComparison(Comparison::ErrorByLayer); });
    connect(m_actions, &RunActions::coloursChanged, m_comparison, &RunsComparison::redraw);
    connect(m_actions, &RunActions::nameWanted, this, &RunsPage::nameRun);
    connect(m_actions, &RunActions::deletionWanted, &m_marks, &MarkWriter::deleteRuns);
    connect(m_actions, &RunActions::pinWanted, this, &RunsPage::pin);
    model()->setBaseline(pinnedRun());
}

void RunsPage::nameRun(const RunRow& run, const QString& name) {
    m_marks.setName(run, name);
    compareSelected();  // by its new name
}

void RunsPage::pin(const QString& run) {
    setPinnedRun(run);
    model()->setBaseline(run);
    m_comparison->redraw();
}

void RunsPage::setAsked(const std::vector<RunRow>& asked) {
    m_comparison->sweep()->setAsked(asked);
    m_list->setAsked(asked);
}

void RunsPage::addToSweep(const QString& directory, const QString& sweep) {
    m_marks.addToSweep(directory, sweep);
}

void RunsPage::announceRuns() {
    std::vector<RunRow> current = model()->runs();
    std::erase_if(current, [](const RunRow& run) { return run.archived; });
    m_comparison->setStored(current);
    emit runsChanged(current);
}

RunsTableModel* RunsPage::model() const { return m_list->model(); }
CurveChart* RunsPage::comparisonChart() const { return m_comparison->chart(); }
HeatMap* RunsPage::errorMapView() const { return m_comparison->maps()->first(); }
ParallelCoordinates* RunsPage::parallelView() const { return m_comparison->parallel(); }
std::vector<RunRow> RunsPage::selectedRuns() const { return m_list->selected(); }
SweepView* RunsPage::sweepView() const { return m_comparison->sweep(); }
void RunsPage::selectAll() { m_list->selectAll(); }

void RunsPage::tell(const Error& error) {
    emit problem(QString::fromStdString(error.problem()), QString::fromStdString(error.where()),
                 QString::fromStdString(error.hint()));
}

void RunsPage::refresh() {
    if (m_reading) {
        m_readAgain = true;
        return;
    }
    m_reading = true;
    runInBackground(
        this,
        [] {
            RunCatalog catalog = readRunCatalog(currentRunsDirectory());
            std::vector<RunTexts> texts = textsOf(catalog.runs);
            return std::pair(std::move(catalog), std::move(texts));
        },
        [this](std::pair<RunCatalog, std::vector<RunTexts>> read) {
            showCatalog(std::move(read.first), std::move(read.second));
        },
        [this](const Error& error) {
            m_reading = false;
            tell(error);
            if (std::exchange(m_readAgain, false)) {
                refresh();
            }
        });
}

void RunsPage::showCatalog(RunCatalog catalog, std::vector<RunTexts> texts) {
    m_reading = false;
    if (m_list->isEditing()) {
        m_isRefreshDue = true;
        m_readAgain = false;
        return;
    }
    const QStringList warnings = catalog.warnings;
    const MeasuredRates rates = catalog.rates;
    m_marks.takeRead();
    m_list->setCatalog(std::move(catalog), std::move(texts));
    if (!m_selectNext.isEmpty()) {
        m_list->select(std::exchange(m_selectNext, {}));
    }
    announceRuns();
    emit ratesChanged(rates);
    if (!warnings.isEmpty()) {
        emit problem(warnings.first(),
                     warnings.size() > 1 ? tr("and %1 more").arg(warnings.size() - 1) : QString(),
                     tr("the other runs are listed; delete or repair the one named"));
    }
    compareSelected();
    if (std::exchange(m_readAgain, false)) {
        refresh();
    }
}

std::vector<RunRow> RunsPage::selectedFinished() const {
    std::vector<RunRow> runs = selectedRuns();
    std::erase_if(runs, [](const RunRow& run) { return run.status != "finished"; });
    return runs;
}

void RunsPage::compareSelected() {
    m_comparing.forget();
    const std::vector<RunRow> runs = selectedRuns();
    m_buttons->setSelected(runs);
    m_comparison->setSelected(runs);
    if (runs.empty() || !m_comparison->needsFiles()) {
        m_comparison->setCompared({});
        return;
    }
    // Ten thousand folders take minutes, and nobody tells ten thousand lines apart.
    const std::vector<RunRow> read(
        runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(runs.size(), RunsComparison::kMostRead)));
    m_comparing.ask(
        [read] { return readRunCurves(read); },
        [this](std::vector<RunCurves> curves) { m_comparison->setCompared(std::move(curves)); },
        [this](const Error& error) {
            m_comparison->setUnreadable();
            tell(error);
        });
}

QString RunsPage::tableText(const QString& format) const {
    std::vector<RunRow> runs = selectedRuns();
    runs = runs.empty() ? m_list->onShow() : runs;
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
