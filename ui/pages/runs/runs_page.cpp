#include "ui/pages/runs/runs_page.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/report/report.h"
#include "core/store/run_condition.h"
#include "ui/base/background.h"
#include "ui/base/theme.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/error_maps.h"
#include "ui/pages/runs/figures_menu.h"
#include "ui/pages/runs/run_actions.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/saved_views_menu.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/sources/run_marks.h"
#include "ui/widgets/save_text.h"

namespace cospadi::ui {

RunsPage::RunsPage(QWidget* parent)
    : QWidget(parent),
      m_list(new RunsList),
      m_comparison(new RunsComparison),
      m_actions(new RunActions(this)) {
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
    auto* views = new SavedViewsMenu(m_list, m_comparison, this);
    connect(m_list, &RunsList::viewMenuWanted, views, &SavedViewsMenu::addTo);
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
    connectWrites();
    connectMarks();
    connectActions();
    updateButtons();
}

void RunsPage::addButtons() {
    m_evaluate = new QPushButton(icon(QStringLiteral("measure")), tr("Measure perplexity"));
    m_evaluate->setObjectName(QStringLiteral("measurePerplexity"));
    m_evaluate->setToolTip(
        tr("WikiText-2 perplexity of the selected runs: how much the whole model "
           "suffers (lower is better). Some minutes each."));
    m_resume = new QPushButton(icon(QStringLiteral("resume")), tr("Resume"));
    m_resume->setObjectName(QStringLiteral("resumeRun"));
    m_resume->setToolTip(tr("Go on with the selected run from its last finished matrix"));
    auto* tables = new QPushButton(icon(QStringLiteral("export")), tr("Export table"));
    tables->setObjectName(QStringLiteral("exportTable"));
    tables->setToolTip(
        tr("Selected rows, or all on show, as they stand here; Tables makes one for a paper"));
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
    auto* more = new QToolButton;
    more->setText(QStringLiteral("⋯"));
    more->setAccessibleName(tr("More"));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setObjectName(QStringLiteral("moreOfRuns"));
    more->setToolTip(tr("All that can be done with the selected runs; as a right click on them"));
    auto* all = new QMenu(more);
    connect(all, &QMenu::aboutToShow, this, [this, all] {
        all->clear();
        if (const std::vector<RunRow> runs = selectedRuns(); !runs.empty()) {
            m_actions->fill(all, runs);
        }
    });
    more->setMenu(all);
    m_more = more;
    for (QWidget* button : std::initializer_list<QWidget*>{m_plan, m_resume, m_evaluate, tables,
                                                           more, refreshButton}) {
        m_list->toolbar()->addWidget(button);
    }
    connect(refreshButton, &QToolButton::clicked, this, &RunsPage::refresh);
    const auto ofTheRun = [this](QPushButton* button, void (RunsPage::*wanted)(const RunRow&)) {
        connect(button, &QPushButton::clicked, this, [this, wanted] {
            const std::vector<RunRow> runs = selectedRuns();
            if (!runs.empty()) {
                emit(this->*wanted)(runs.front());
            }
        });
    };
    ofTheRun(m_plan, &RunsPage::planRequested);
    ofTheRun(m_resume, &RunsPage::resumeRequested);
    connect(m_evaluate, &QPushButton::clicked, this,
            [this] { emit evaluationRequested(selectedFinished()); });
}

void RunsPage::connectWrites() {
    connect(&m_writes, &OrderedWork::oneDone, this, [this] {
        m_readAgain = m_readAgain || m_reading;  // what is being read may be from before
    });
    connect(&m_writes, &OrderedWork::allDone, this, [this] {
        if (std::exchange(m_shownMeanwhile, false)) {
            refresh();
        }
    });
    connect(&m_writes, &OrderedWork::failed, this, [this](const Error& error) {
        tell(error);
        refresh();  // what could not be written does not stand there either
    });
}

void RunsPage::connectMarks() {
    connect(m_list, &RunsList::starsWanted, this, [this](const QStringList& runs, bool starred) {
        mark(
            runs, [starred](RunRow& run) { run.starred = starred; },
            [runs, starred] { writeStars(runs, starred); });
    });
    connect(m_list, &RunsList::archiveWanted, this, [this](const QStringList& runs, bool archived) {
        mark(
            runs, [archived](RunRow& run) { run.archived = archived; },
            [runs, archived] { writeArchiveMarks(runs, archived); });
    });
    connect(m_list, &RunsList::tagWanted, this,
            [this](const QStringList& runs, const QString& tag) {
                const auto add = [name = tag.toStdString()](RunRow& run) {
                    if (std::find(run.tags.begin(), run.tags.end(), name) == run.tags.end()) {
                        run.tags.push_back(name);
                        std::sort(run.tags.begin(), run.tags.end());
                    }
                };
                mark(runs, add, [runs, tag] { writeTag(runs, tag); });
            });
    connect(m_list, &RunsList::tagsWanted, this, &RunsPage::replaceTags);
    connect(m_list, &RunsList::noteWanted, this,
            [this](const QStringList& runs, const QString& text) {
                mark(
                    runs, [note = text.toStdString()](RunRow& run) { run.note = note; },
                    [runs, text] { writeNote(runs, text); });
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
    connect(m_actions, &RunActions::deletionWanted, this, &RunsPage::deleteRuns);
    connect(m_actions, &RunActions::pinWanted, this, &RunsPage::pin);
    model()->setBaseline(pinnedRun());
}

void RunsPage::nameRun(const RunRow& run, const QString& name) {
    QStringList tags;
    for (const std::string& tag : run.tags) {
        if (!tag.starts_with(kNameTag)) {
            tags << QString::fromStdString(tag);
        }
    }
    if (!name.isEmpty()) {
        tags << QLatin1String(kNameTag) + name;
    }
    replaceTags(QString::fromStdString(run.id), tags);
    compareSelected();  // by its new name
}

void RunsPage::replaceTags(const QString& run, const QStringList& tags) {
    const auto replace = [tags](RunRow& row) {
        row.tags.clear();
        for (const QString& tag : tags) {
            row.tags.push_back(tag.toStdString());
        }
    };
    mark({run}, replace, [run, tags] { writeTags(run, tags); });
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
    m_shownMeanwhile = true;  // read again when it is done
    m_writes.append([directory, tag = kSweepTag + sweep] { writeTagOfDirectory(directory, tag); });
}

// After the marks that wait: one of a run that is gone would be an error.
void RunsPage::deleteRuns(const QStringList& runs) {
    m_shownMeanwhile = true;  // read again when it is done
    m_writes.append([runs] { cospadi::ui::deleteRuns(runs); });
}

void RunsPage::mark(const QStringList& runs, const std::function<void(RunRow&)>& change,
                    const std::function<void()>& write) {
    const std::vector<RunRow> known = model()->runs();
    for (RunRow run : known) {
        if (runs.contains(QString::fromStdString(run.id))) {
            change(run);
            model()->setMarks(run);
        }
    }
    announceRuns();
    m_writes.append(write);
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
    const QStringList warnings = catalog.warnings;
    m_shownMeanwhile = m_writes.isWorking();
    m_list->setCatalog(std::move(catalog), std::move(texts));
    if (!m_selectNext.isEmpty()) {
        m_list->select(std::exchange(m_selectNext, {}));
    }
    announceRuns();
    if (!warnings.isEmpty()) {
        emit problem(warnings.first(),
                     warnings.size() > 1 ? tr("and %1 more").arg(warnings.size() - 1) : QString(),
                     tr("the other runs are listed; delete or mend what is named"));
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

void RunsPage::updateButtons() {
    const std::vector<RunRow> runs = selectedRuns();
    const bool one = runs.size() == 1;
    m_more->setEnabled(!runs.empty());
    m_plan->setEnabled(one);
    m_evaluate->setEnabled(!selectedFinished().empty());
    m_resume->setEnabled(one && runs.front().status != "finished");
}

void RunsPage::compareSelected() {
    updateButtons();
    m_comparing.forget();
    const std::vector<RunRow> runs = selectedRuns();
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
        [this](const Error& error) { tell(error); });
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
