// The Runs page over a real store: marks that are written, columns that are remembered, groups,
// what differs, and charts that filter. Published numbers were read off the paper's Table 3.
#include <QAbstractItemModelTester>
#include <QAbstractScrollArea>
#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/report/figure_design.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/small_multiples.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/saved_views.h"
#include "ui/pages/runs/error_maps.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/sources/run_marks.h"

namespace tst_runs_page {

using namespace cospadi;
using namespace cospadi::ui;
using nlohmann::json;

namespace {

void writeRun(const std::string& id, const std::string& method, double cr, double rho, double error,
              double accuracy) {
    const std::filesystem::path directory = runsDirectory() / id;
    std::filesystem::create_directories(directory / "evaluations");
    std::ofstream(directory / "run.json")
        << json{{"format", 1},
                {"id", id},
                {"created", "2026-11-21T04:00:0" + std::to_string(id.size() % 10) + "Z"},
                {"specification",
                 {{"model", "/m/smol.gguf"},
                  {"method", method},
                  {"solver", "fast"},
                  {"layers", ".*"},
                  {"cr", cr},
                  {"rho", rho},
                  {"iterations", 0},
                  {"seed", 42}}}};
    std::ofstream(directory / "result.json")
        << json{{"status", "finished"}, {"seconds", 10},           {"bytes", 1e6 * (1 - cr)},
                {"dense_bytes", 1e6},   {"relative_error", error}, {"matrices", json::array()}};
    std::ofstream(directory / "evaluations" / "lm-eval-1.json")
        << json{{"kind", "lm-eval"},
                {"tasks",
                 {{{"task", "piqa"},
                   {"version", "1.0"},
                   {"shots", 0},
                   {"samples", 100},
                   {"metrics",
                    {{{"metric", "acc_norm"},
                      {"filter", "none"},
                      {"value", accuracy},
                      {"stderr", 0.01},
                      {"higher_is_better", true}}}}}}}};
}

}  // namespace

class TestRunsPage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<RunsPage> m_page;

    template <typename Widget>
    Widget* find(const char* name) {
        Widget* widget = m_page->findChild<Widget*>(QString::fromLatin1(name));
        if (widget == nullptr) {
            qFatal("the page has no %s", name);
        }
        return widget;
    }

    QTreeView* table() { return find<QTreeView>("runsTable"); }

    QModelIndex cell(const QString& run, int column, const QModelIndex& parent = {}) {
        const QAbstractItemModel* model = table()->model();
        for (int row = 0; row < model->rowCount(parent); ++row) {
            const QModelIndex index = model->index(row, 0, parent);
            if (index.data(RunsTableModel::IdRole).toString() == run) {
                return index.siblingAtColumn(column);
            }
            const QModelIndex below = cell(run, column, index);
            if (below.isValid()) {
                return below;
            }
        }
        return {};
    }

    // Entries of a menu that is made when it opens, by their words; "Columns>Model" in a submenu.
    QAction* entry(const char* button, const QString& path) {
        QMenu* menu = find<QToolButton>(button)->menu();
        emit menu->aboutToShow();
        for (const QString& word : path.split('>')) {
            for (QAction* action : menu->actions()) {
                if (action->text() != word) {
                    continue;
                }
                if (action->menu() == nullptr) {
                    return action;
                }
                menu = action->menu();
                break;
            }
        }
        qFatal("there is no %s", qPrintable(path));
    }

    QStringList shownColumns() {
        QStringList keys;
        const QHeaderView* header = table()->header();
        for (int place = 0; place < header->count(); ++place) {
            if (!header->isSectionHidden(header->logicalIndex(place))) {
                keys << m_page->model()->columnKey(header->logicalIndex(place));
            }
        }
        return keys;
    }

    void compare(const QString& words) {
        auto* box = find<QComboBox>("comparison");
        QVERIFY(box->findText(words) >= 0);
        box->setCurrentIndex(box->findText(words));
    }

    // Of the runs that are selected, as the right button or the menu key opens it.
    QMenu* runMenu() {
        emit table()->customContextMenuRequested(table()->rect().center());
        const auto menus = m_page->findChildren<QMenu*>("runMenu");
        return menus.isEmpty() ? nullptr : menus.last();
    }

    static void pick(QMenu* menu, const QString& words) {
        for (QAction* action : menu->actions()) {
            if (action->text() == words && action->isEnabled()) {
                menu->close();
                action->trigger();
                return;
            }
        }
        qFatal("there is no %s", qPrintable(words));
    }

    // Among what there is to choose from once the runs were looked at.
    void choose(const char* name, const QString& word) {
        auto* box = find<QComboBox>(name);
        QTRY_VERIFY(box->findData(word) >= 0);
        box->setCurrentIndex(box->findData(word));
    }

    RunRow stored(const QString& id) {
        return RunStore::open(storePath(), RunStore::Access::ReadOnly).find(id.toStdString());
    }

    // With COSPADI_SCREENSHOTS=DIR.
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QTest::qWait(100);
            QVERIFY(m_page->grab().save(folder + '/' + name + ".png"));
        }
    }

  private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("COSPADI_RUNS", m_folder.filePath("runs").toUtf8());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QCoreApplication::setOrganizationName("cospadi-test");
        applyTheme(*qApp);
        writeRun("dense", "dense", 0, 2, 0, 0.70);
        writeRun("llm-2", "svd-llm", 0.2, 2, 0.25, 0.60);
        writeRun("llm--3", "svd-llm", 0.3, 2, 0.40, 0.55);
        writeRun("ours---2", "cospadi", 0.2, 2, 0.11, 0.66);
        writeRun("ours-2rho", "cospadi", 0.2, 1.5, 0.12, 0.65);
    }

    void init() {
        m_page = std::make_unique<RunsPage>();
        m_page->resize(1400, 800);
        m_page->show();
        m_page->refresh();
        QTRY_VERIFY(m_page->model()->rowCount() >= 5);
    }

    void modelsAreWellFormed() {
        RunsTableModel runs;
        GroupedRunsModel groups(&runs);
        RunsFilterModel filter(&runs, &groups);
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        const QAbstractItemModelTester first(&runs, mode);
        const QAbstractItemModelTester second(&groups, mode);
        const QAbstractItemModelTester third(&filter, mode);
        runs.setRuns(m_page->model()->runs());
        groups.setGroupColumn(RunsTableModel::MethodColumn);
        QCOMPARE(filter.rowCount(), 3);
        filter.sort(RunsTableModel::ErrorColumn, Qt::AscendingOrder);
        filter.setFilter("svd-llm 0.3");
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.rowCount(filter.index(0, 0)), 1);
        RunRow marked = runs.run(0);
        marked.archived = true;
        runs.setMarks(marked);
        filter.setFilter({});
        runs.setRuns({});
        QCOMPARE(filter.rowCount(), 0);
    }

    void everyWidgetHasAName() {
        compare("ablation: a value over a setting");
        const QStringList nameless = namelessIn(*m_page);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    void groupsShowTheirBest() {
        entry("runsView", "Group by>Method")->trigger();
        const QAbstractItemModel* model = table()->model();
        QCOMPARE(model->rowCount(), 3);
        QCOMPARE(model->headerData(RunsTableModel::MethodColumn, Qt::Horizontal).toString(),
                 "Method");
        table()->sortByColumn(RunsTableModel::ErrorColumn, Qt::AscendingOrder);
        for (int row = 0; row < 3; ++row) {
            const QModelIndex group = model->index(row, 0);
            if (group.data().toString().startsWith("cospadi")) {
                QCOMPARE(group.data().toString(), "cospadi (fast) (2)");
                QCOMPARE(group.siblingAtColumn(RunsTableModel::ErrorColumn).data().toString(),
                         "0.1100");
                // A group is selected by its runs.
                table()->selectionModel()->select(
                    group, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
            }
        }
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{2});
        picture("runs-grouped");
        // Folded groups stay folded when the runs are read again; the grouping survives a new
        // start.
        table()->collapse(model->index(0, 0));
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->refresh();
        QTRY_VERIFY(!changed.isEmpty());
        QVERIFY(!table()->isExpanded(table()->model()->index(0, 0)));
        QVERIFY(table()->isExpanded(table()->model()->index(1, 0)));
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{2});
        init();
        QCOMPARE(table()->model()->rowCount(), 3);
        QCOMPARE(cell("dense", RunsTableModel::ErrorColumn).data().toString(), "–");
        m_page->list()->select({"llm-2", "dense"});
        entry("runsView", "Group by>Nothing")->trigger();
        QCOMPARE(table()->model()->rowCount(), 5);
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{2});  // still in hand
    }

    void starByAClick() {
        table()->scrollTo(cell("llm-2", RunsTableModel::StarColumn));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {},
                          table()->visualRect(cell("llm-2", RunsTableModel::StarColumn)).center());
        QTRY_VERIFY(stored("llm-2").starred);
        QTRY_COMPARE(cell("llm-2", RunsTableModel::StarColumn).data().toString(), "★");
        QVERIFY(!stored("dense").starred);
    }

    void tagsAndNotesInPlace() {
        QAbstractItemModel* model = table()->model();
        QVERIFY(model->setData(cell("llm-2", RunsTableModel::TagsColumn), "paper,  b ,"));
        QTRY_COMPARE(stored("llm-2").tags, (std::vector<std::string>{"b", "paper"}));
        QVERIFY(model->setData(cell("llm-2", RunsTableModel::TagsColumn), "paper"));
        QTRY_COMPARE(stored("llm-2").tags, (std::vector<std::string>{"paper"}));
        QVERIFY(model->setData(cell("llm-2", RunsTableModel::NoteColumn), "odd in block 3"));
        QTRY_COMPARE(stored("llm-2").note, std::string("odd in block 3"));
        auto* filter = find<QLineEdit>("runsFilter");
        filter->setText("odd block");
        QTRY_COMPARE(model->rowCount(), 1);
        filter->clear();
        // Many at once, from the menu.
        m_page->list()->select({"dense", "ours---2"});
        entry("runsMark", "Add a tag…")->trigger();
        auto* dialog = m_page->findChild<QInputDialog*>("tagDialog");
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("both");
        dialog->accept();
        QTRY_COMPARE(stored("dense").tags, (std::vector<std::string>{"both"}));
        QTRY_COMPARE(stored("ours---2").tags, (std::vector<std::string>{"both"}));
    }

    // A tag may hold a comma (the command line allows it): shown in quotation marks, and editing
    // its neighbours leaves it whole.
    void aTagWithACommaStaysOne() {
        writeTag({"llm--3"}, "4 bit, later");
        m_page->refresh();
        const auto shown = [&] {
            return cell("llm--3", RunsTableModel::TagsColumn).data().toString();
        };
        QTRY_COMPARE(shown(), QString("\"4 bit, later\""));
        QVERIFY(table()->model()->setData(cell("llm--3", RunsTableModel::TagsColumn),
                                          shown() + ", paper"));
        QTRY_COMPARE(stored("llm--3").tags, (std::vector<std::string>{"4 bit, later", "paper"}));
    }

    void archivedRunsStepAside() {
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->list()->select({"llm--3"});
        entry("runsMark", "Archive")->trigger();
        QTRY_COMPARE(table()->model()->rowCount(), 4);
        QTRY_VERIFY(!changed.isEmpty());
        QCOMPARE(changed.last()[0].value<std::vector<RunRow>>().size(), std::size_t{4});
        entry("runsView", "Archived runs too")->trigger();
        QTRY_COMPARE(table()->model()->rowCount(), 5);
        m_page->list()->select({"llm--3"});
        QTRY_VERIFY(stored("llm--3").archived);
        // In the order in which they were asked for, however quickly.
        entry("runsMark", "Bring back from the archive")->trigger();
        for (int i = 0; i < 5; ++i) {
            entry("runsMark", "Archive")->trigger();
            entry("runsMark", "Bring back from the archive")->trigger();
        }
        entry("runsMark", "Star")->trigger();  // the last to be written
        QTRY_VERIFY(stored("llm--3").starred);
        QVERIFY(!stored("llm--3").archived);
    }

    void columnsAreRemembered() {
        QVERIFY(!shownColumns().contains("model"));
        entry("runsView", "Columns>Model")->trigger();
        entry("runsView", "Columns>piqa/acc_norm")->trigger();
        QVERIFY(shownColumns().contains("model"));
        table()->header()->moveSection(table()->header()->visualIndex(RunsTableModel::CrColumn), 1);
        const QStringList before = shownColumns();
        QCOMPARE(before[1], "cr");
        init();
        QCOMPARE(shownColumns(), before);
        QVERIFY(before.contains("piqa/acc_norm"));
        entry("runsView", "Columns>The usual ones")->trigger();
    }

    void onlyWhatDiffers() {
        m_page->list()->select({"ours---2", "ours-2rho"});
        find<QToolButton>("onlyDiffering")->click();
        // Bytes and time agree; error and accuracy follow from ρ.
        QCOMPARE(shownColumns(), (QStringList{"run", "rho", "error", "tags", "piqa/acc_norm"}));
        picture("runs-differing");
        m_page->list()->select({"llm-2", "llm--3"});
        QVERIFY(shownColumns().contains("cr") && !shownColumns().contains("rho"));
        find<QToolButton>("onlyDiffering")->click();
        QVERIFY(shownColumns().contains("status"));
    }

    // Opened, sorted and filtered within 300 ms each on an idle core; processor time, with room for
    // a slower one.
    void tenThousandRuns() {
        std::vector<RunRow> runs;
        for (int i = 0; i < 10000; ++i) {
            RunRow run = m_page->model()->run(i % 5);
            run.id += std::to_string(i);
            run.relativeError = (i * 7919 % 10007) / 10007.0;
            runs.push_back(run);
        }
        RunsList list;
        list.resize(1400, 400);
        list.show();
        auto* view = list.findChild<QTreeView*>("runsTable");
        list.setCatalog({runs, {}, {}});
        view->sortByColumn(RunsTableModel::ErrorColumn, Qt::AscendingOrder);
        const std::vector<RunRow> sorted = list.onShow();
        QVERIFY(std::is_sorted(sorted.begin(), sorted.end(), [](const RunRow& a, const RunRow& b) {
            const auto key = [](const RunRow& run) {  // unknown last
                return run.method == "dense" ? 2 : run.relativeError;
            };
            return key(a) < key(b);
        }));
        list.findChild<QLineEdit*>("runsFilter")->setText("svd-llm 0.3");
        QCOMPARE(list.onShow().size(), std::size_t{2000});
        list.findChild<QLineEdit*>("runsFilter")->clear();
        list.findChild<QToolButton*>("onlyDiffering")->click();
        QVERIFY(!view->isColumnHidden(RunsTableModel::ErrorColumn));
        QVERIFY(view->isColumnHidden(RunsTableModel::NoteColumn));  // no run has one
    }

    // As many as are selected, without those that never ended.
    void perplexityOfMany() {
        auto* measure = find<QPushButton>("measurePerplexity");
        QSignalSpy asked(m_page.get(), &RunsPage::evaluationRequested);
        m_page->list()->select({});
        QVERIFY(!measure->isEnabled());
        m_page->list()->select({"llm-2", "llm--3", "ours---2"});
        QVERIFY(measure->isEnabled());
        QTest::mouseClick(measure, Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        std::set<std::string> ids;
        for (const RunRow& run : asked[0][0].value<std::vector<RunRow>>()) {
            ids.insert(run.id);
        }
        QCOMPARE(ids, (std::set<std::string>{"llm-2", "llm--3", "ours---2"}));
    }

    void brushesFilterTheTable() {
        compare("parallel coordinates");
        ParallelCoordinates* chart = m_page->parallelView();
        QCOMPARE(chart->lineCount(), 5);
        m_page->list()->select({"ours---2", "llm-2"});
        int error = -1;
        for (int axis = 0; axis < chart->axes().size(); ++axis) {
            error = chart->axes()[axis].name == "error" ? axis : error;
        }
        QVERIFY(error > 0);
        chart->setBrush(error, 0.2, 0.5);
        QCOMPARE(chart->passing(), (QSet<QString>{"llm-2", "llm--3"}));
        QTRY_COMPARE(table()->model()->rowCount(), 2);
        QCOMPARE(chart->lineCount(), 5);  // the others fade, they do not go
        // What leaves the brush for a moment is still chosen when it comes back.
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{1});
        chart->setBrush(error, 0.3, 0.5);
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        QVERIFY(m_page->selectedRuns().empty());
        chart->setBrush(error, 0.05, 0.3);
        QTRY_COMPARE(table()->model()->rowCount(), 3);
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{2});
        chart->setBrush(error, 0.2, 0.5);
        m_page->list()->select({"llm--3"});  // another choice: what was outside is chosen no more
        chart->setBrush(error, 0.05, 0.5);   // all of the axis, so none
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{1});
        m_page->list()->select({"ours---2", "llm-2"});
        chart->setBrush(error, 0.2, 0.5);
        picture("runs-parallel");
        // What cannot be seen does not filter.
        compare("error by matrix");
        QTRY_COMPARE(table()->model()->rowCount(), 5);
    }

    void thePaperOverTheChart() {
        compare("ablation: a value over a setting");
        m_page->selectAll();
        choose("ablationX", "cr");
        QTRY_VERIFY(!find<QToolButton>("paperResults")->isEnabled());  // perplexity of tokens: none
        choose("comparisonMetric", "piqa/acc_norm");
        // dense, svd-llm, and cospadi at two ρ, which no line joins
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 4);
        QAction* overlay = nullptr;
        for (QAction* action : find<QToolButton>("paperResults")->menu()->actions()) {
            overlay = action->text() == "Llama-3-8B (table 3)" ? action : overlay;
        }
        QVERIFY(overlay != nullptr);
        overlay->trigger();
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 6);
        for (const Curve& curve : m_page->comparisonChart()->curves()) {
            if (curve.name == "CoSpaDi, Llama-3-8B (paper, table 3)") {
                QCOMPARE(curve.points.size(), 3);
                QCOMPARE(curve.points[0], QPointF(0.2, 0.752));
                QCOMPARE(curve.points[2], QPointF(0.4, 0.637));
            }
        }
        QVERIFY(m_page->comparisonChart()->csv().contains("paper, table 3"));
        picture("runs-paper");
    }

    // Any value over any setting, of the runs that are selected or of all on show.
    // Until somebody chooses, what was measured stands over what the runs differ in.
    void anAblationBeginsWithSomethingToSee() {
        QSettings().remove("runs/plot");
        init();
        m_page->list()->select({"ours---2", "ours-2rho"});
        compare("ablation: a value over a setting");
        const auto chosen = [this](const char* name) {
            return find<QComboBox>(name)->currentData().toString();
        };
        QTRY_COMPARE(chosen("ablationX"), "rho");
        QCOMPARE(chosen("comparisonMetric"), "error");  // no perplexity was measured
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 1);
        // The choice is nobody's yet: others begin with what they differ in.
        m_page->list()->select({"llm-2", "llm--3"});
        QTRY_COMPARE(chosen("ablationX"), "cr");
        choose("ablationX", "bytes");
        m_page->list()->select({"ours---2", "ours-2rho"});
        QTest::qWait(50);
        QCOMPARE(chosen("ablationX"), "bytes");
        choose("ablationX", "cr");
    }

    void anyValueOverAnySetting() {
        compare("ablation: a value over a setting");
        m_page->list()->select({});
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        const auto drawn = [&] {
            QList<QList<QPointF>> lines;
            for (const Curve& curve : m_page->comparisonChart()->curves()) {
                lines << curve.points;
            }
            return lines;
        };
        QTRY_COMPARE(drawn(), (QList<QList<QPointF>>{{{1.5, 0.12}, {2, 0.11}}}));
        choose("ablationX", "cr");
        choose("ablationCurve", "rho");
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 3);
        QStringList names;
        for (const Curve& curve : m_page->comparisonChart()->curves()) {
            names << curve.name;
        }
        QCOMPARE(names,
                 (QStringList{"no rho, svd-llm", "ρ 1.5, cospadi (fast)", "ρ 2, cospadi (fast)"}));
        picture("ablation");
        // Beside each other, with the same axes.
        choose("ablationFacet", "method");
        auto* plots = m_page->findChild<SmallMultiples*>();
        QTRY_COMPARE(plots->charts().size(), 2);
        QVERIFY(plots->isVisible());
        QVERIFY(plots->csv().startsWith("plot,curve,"));
        QVERIFY(plots->csv().contains("svd-llm,no rho,0.2"));
        find<QCheckBox>("ablationLogX")->setChecked(true);
        QTRY_VERIFY(plots->charts()[0]->isLogarithmicX());
        picture("ablation-plots");
        // All of it is there at the next start, and none of it does harm where no run has it.
        init();
        compare("ablation: a value over a setting");
        QCOMPARE(find<QComboBox>("ablationFacet")->currentData().toString(), "method");
        QVERIFY(find<QCheckBox>("ablationLogX")->isChecked());
        find<QCheckBox>("ablationLogX")->setChecked(false);
        choose("ablationFacet", "");
        choose("ablationCurve", "");
    }

    void theFilterIsTyped() {
        auto* filter = find<QLineEdit>("runsFilter");
        auto* problem = find<QLabel>("filterProblem");
        const QAbstractItemModel* model = table()->model();
        filter->setText("cr=0.2 rho>=2");
        QCOMPARE(model->rowCount(), 1);
        filter->setText("error<0.3 method:svd");
        QCOMPARE(model->rowCount(), 1);
        filter->setText("piqa/acc_norm>=0.65 llm");
        QCOMPARE(model->rowCount(), 0);
        filter->setText("piqa/acc_norm>=0.65");
        QCOMPARE(model->rowCount(), 3);
        QVERIFY(problem->isHidden());
        // What cannot be meant is named, and what filtered before still does.
        filter->setText("piqa/acc_norm>=0.65 rhoo=2");
        QCOMPARE(model->rowCount(), 3);
        QVERIFY(!problem->isHidden());
        QVERIFY2(problem->text().startsWith("rhoo=2: "), qPrintable(problem->text()));
        QVERIFY(problem->toolTip().contains("rho,"));
        picture("runs-filter-problem");
        filter->clear();
        QCOMPARE(model->rowCount(), 5);
        QVERIFY(problem->isHidden());
        // The last word is completed.
        filter->setText("cr=0.2 sta");
        filter->completer()->setCompletionPrefix("cr=0.2 sta");
        QCOMPARE(filter->completer()->currentCompletion(), "cr=0.2 status");
    }

    // As a restart brings it back: the fields of the runs are not known yet.
    void aFilterWaitsForTheRuns() {
        m_page = std::make_unique<RunsPage>();
        m_page->list()->showFilter("cr=0.2 piqa/acc_norm>=0.65", false);
        QVERIFY(find<QLabel>("filterProblem")->isHidden());
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
        QCOMPARE(table()->model()->rowCount(), 2);
        QVERIFY(find<QLabel>("filterProblem")->isHidden());
        m_page->list()->showFilter("rhoo=2", false);
        QVERIFY(!find<QLabel>("filterProblem")->isHidden());
    }

    void viewsAreSaved() {
        auto* filter = find<QLineEdit>("runsFilter");
        filter->setText("cr=0.2");
        entry("runsView", "Group by>Method")->trigger();
        compare("ablation: a value over a setting");
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        entry("runsView", "Saved views>Save this view…")->trigger();
        auto* dialog = m_page->findChild<QInputDialog*>("viewDialog");
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("ρ at 0.2");
        dialog->accept();
        const QStringList columns = shownColumns();
        filter->clear();
        entry("runsView", "Group by>Nothing")->trigger();
        entry("runsView", "Columns>Model")->trigger();
        compare("error by matrix");
        choose("ablationX", "cr");
        init();  // another start
        entry("runsView", "Saved views>ρ at 0.2")->trigger();
        QCOMPARE(find<QLineEdit>("runsFilter")->text(), "cr=0.2");
        QCOMPARE(shownColumns(), columns);
        QCOMPARE(table()->model()->rowCount(), 2);  // groups: svd-llm, cospadi
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "ablation: a value over a setting");
        QCOMPARE(find<QComboBox>("ablationX")->currentData().toString(), "rho");
        entry("runsView", "Saved views>Forget>ρ at 0.2")->trigger();
        QVERIFY(savedViewNames().isEmpty());
        entry("runsView", "Group by>Nothing")->trigger();
    }

    // Drawn again from the runs there are then, also at another start.
    void figuresAreSavedAndDrawnAgain() {
        find<QLineEdit>("runsFilter")->setText("method=cospadi");
        m_page->list()->select({});
        compare("ablation: a value over a setting");
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        choose("ablationCurve", "");
        const auto save = [&](const QString& name) {
            entry("figures", "Save this figure…")->trigger();
            auto* dialog = m_page->findChild<QInputDialog*>("figureDialog");
            QVERIFY(dialog != nullptr);
            dialog->setTextValue(name);
            dialog->accept();
            QTRY_VERIFY(m_page->findChild<QInputDialog*>("figureDialog") == nullptr);
        };
        save("error over ρ");
        find<QLineEdit>("runsFilter")->clear();
        m_page->list()->select({"dense", "llm-2"});
        compare("error by matrix");
        save("both");
        choose("ablationX", "cr");
        writeRun("ours-3rho", "cospadi", 0.2, 3, 0.10, 0.67);
        init();
        entry("figures", "error over ρ")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "ablation: a value over a setting");
        QCOMPARE(find<QLineEdit>("runsFilter")->text(), "method=cospadi");
        const auto drawn = [&] {
            QList<QList<QPointF>> lines;
            for (const Curve& curve : m_page->comparisonChart()->curves()) {
                lines << curve.points;
            }
            return lines;
        };
        QTRY_COMPARE(drawn(), (QList<QList<QPointF>>{{{1.5, 0.12}, {2, 0.11}, {3, 0.10}}}));
        entry("figures", "both")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "error by matrix");
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{2});
        entry("figures", "Forget>both")->trigger();
        QCOMPARE(savedFigures(savedFiguresPath()).size(), std::size_t{1});

        // A damaged file is named, and nothing else happens.
        QFile file(QString::fromStdString(savedFiguresPath().string()));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("[]");
        file.close();
        QSignalSpy problems(m_page.get(), &RunsPage::problem);
        entry("figures", "Save this figure…");
        QVERIFY(!problems.isEmpty());
        QVERIFY(problems[0][1].toString().contains("figures.json"));
        QVERIFY(file.remove());
        find<QLineEdit>("runsFilter")->clear();
        choose("ablationX", "cr");
        std::filesystem::remove_all(runsDirectory() / "ours-3rho");
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
    }

    // A name goes with the run, a colour stays with it in every chart.
    void runsHaveNamesAndColours() {
        compare("error against iteration");
        m_page->list()->select({"ours---2"});
        auto* menu = runMenu();
        QVERIFY(menu != nullptr);
        pick(menu, "Name…");
        auto* dialog = m_page->findChild<QInputDialog*>("nameDialog");
        QVERIFY(dialog != nullptr);
        dialog->setTextValue("the best");
        dialog->accept();
        QTRY_COMPARE(stored("ours---2").tags.back(), std::string("name:the best"));
        QTRY_COMPARE(cell("ours---2", RunsTableModel::NameColumn).data().toString(), "the best");
        QCOMPARE(ownName(stored("ours---2")), "the best");
        find<QLineEdit>("runsFilter")->setText("\"the best\"");
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        find<QLineEdit>("runsFilter")->clear();
        pick(runMenu(), "Name…");
        dialog = m_page->findChild<QInputDialog*>("nameDialog");
        QCOMPARE(dialog->textValue(), "the best");
        dialog->setTextValue("");
        dialog->accept();
        QTRY_COMPARE(cell("ours---2", RunsTableModel::NameColumn).data().toString(), "ours---2");

        const QList<int> looks = looksOf({"a", "b", "c"});
        QCOMPARE(QSet<int>(looks.begin(), looks.end()).size(), 3);
        QCOMPARE(looksOf({"c", "a"}), (QList<int>{looks[2], looks[0]}));  // whoever stands beside
        setOwnColour("a", QColor("#123456"));
        Curve curve;
        setRunLook(curve, "a", looks[0]);
        QCOMPARE(curve.colour, QColor("#123456"));
        setOwnColour("a", std::nullopt);
        setRunLook(curve, "a", looks[0]);
        QVERIFY(curve.colour != QColor("#123456"));
    }

    // Errors 0.11 and 0.12 against 0.25: −56 % and −52 %.
    void othersAreShownBesideTheBaseline() {
        m_page->list()->select({"llm-2"});
        pick(runMenu(), "Pin as the baseline");
        const auto shown = [&](const char* run, int column) {
            return cell(run, column).data().toString();
        };
        QTRY_COMPARE(shown("ours---2", RunsTableModel::ErrorColumn), "0.1100  −56.0 %");
        QCOMPARE(shown("ours-2rho", RunsTableModel::ErrorColumn), "0.1200  −52.0 %");
        QCOMPARE(shown("llm--3", RunsTableModel::ErrorColumn), "0.4000  +60.0 %");
        QCOMPARE(shown("llm-2", RunsTableModel::ErrorColumn), "0.2500");
        QCOMPARE(shown("llm-2", RunsTableModel::NameColumn), "llm-2  (baseline)");
        QCOMPARE(shown("dense", RunsTableModel::ErrorColumn), "–");
        // As a line in the plot, and still there at the next start.
        compare("ablation: a value over a setting");
        m_page->list()->select({});
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        choose("ablationCurve", "");
        const auto line = [&]() -> QList<QPointF> {
            for (const Curve& curve : m_page->comparisonChart()->curves()) {
                if (curve.name.startsWith("baseline: ")) {
                    return curve.points;
                }
            }
            return {};
        };
        QTRY_COMPARE(line(), (QList<QPointF>{{1.5, 0.25}, {2, 0.25}}));
        QVERIFY(m_page->comparisonChart()->valuesAt(2).first().contains("−56.0 %"));
        picture("runs-baseline");
        init();
        QCOMPARE(shown("ours---2", RunsTableModel::ErrorColumn), "0.1100  −56.0 %");
        m_page->list()->select({"llm-2"});
        pick(runMenu(), "No baseline any more");
        QTRY_COMPARE(shown("ours---2", RunsTableModel::ErrorColumn), "0.1100");
    }

    // A sweep is a row of its own, which says how far it has got.
    void aSweepIsOneRow() {
        RunsTableModel runs;
        GroupedRunsModel groups(&runs);
        std::vector<RunRow> rows = m_page->model()->runs();
        rows[0].status = "interrupted";
        RunSettings settings;
        settings.names = QStringList{"sweep"};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            settings.values.push_back({i < 3 ? QString("rho") : QString()});
        }
        runs.setRuns(rows, settings);
        groups.setGroupColumn(RunsTableModel::ColumnCount);
        QCOMPARE(groups.rowCount(), 2);
        QStringList names;
        for (int row = 0; row < 2; ++row) {
            names << groups.index(row, 0).data().toString();
        }
        names.sort();
        QCOMPARE(names, (QStringList{"none (2)", "rho (2 of 3 finished)"}));
        // Its name comes from the tag that `sweep --name` leaves.
        writeTag({"llm-2"}, "sweep:night");
        m_page->refresh();
        QTRY_VERIFY(m_page->model()->fieldNames().contains("sweep"));
        find<QLineEdit>("runsFilter")->setText("sweep=night");
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        entry("runsView", "Group by>sweep")->trigger();
        QCOMPARE(table()->model()->index(0, 0).data().toString(), "night (1)");
        entry("runsView", "Group by>Nothing")->trigger();
        find<QLineEdit>("runsFilter")->clear();
    }

    void theMenuOfRuns() {
        m_page->list()->select({"llm-2"});
        QSignalSpy planned(m_page.get(), &RunsPage::planRequested);
        pick(runMenu(), "Plan from it");
        QCOMPARE(planned.count(), 1);
        pick(runMenu(), "Copy its id");
        QCOMPARE(QGuiApplication::clipboard()->text(), "llm-2");
        pick(runMenu(), "Copy its command");
        QVERIFY(QGuiApplication::clipboard()->text().contains("--method svd-llm"));
        m_page->list()->select({"llm-2", "llm--3"});
        pick(runMenu(), "Compare their errors");
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "error by matrix");
        pick(runMenu(), "Copy their ids");
        QCOMPARE(QGuiApplication::clipboard()->text().split('\n').size(), 2);

        // Only after a word, with all files.
        writeRun("to-delete", "svd", 0.2, 2, 0.5, 0.5);
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 6);
        m_page->list()->select({"to-delete"});
        pick(runMenu(), "Delete…");
        auto* question = m_page->findChild<QMessageBox*>("deletionQuestion");
        QVERIFY(question != nullptr);
        question->reject();
        QVERIFY(std::filesystem::exists(runsDirectory() / "to-delete" / "run.json"));
        QTRY_VERIFY(m_page->findChild<QMessageBox*>("deletionQuestion") == nullptr);
        pick(runMenu(), "Delete…");
        question = m_page->findChild<QMessageBox*>("deletionQuestion");
        for (QAbstractButton* button : question->buttons()) {
            if (button->text() == "Delete") {
                button->click();
            }
        }
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
        QVERIFY(!std::filesystem::exists(runsDirectory() / "to-delete"));
    }

    // An ablation and parallel coordinates need no file of a run; of very many selected runs the
    // first are read, and the card says so.
    void filesAreReadForWhatIsDrawn() {
        RunsComparison comparison;
        QSignalSpy wanted(&comparison, &RunsComparison::filesWanted);
        for (const Comparison from : {Comparison::Ablation, Comparison::Parallel}) {
            comparison.setComparison(from);
            QVERIFY(!comparison.needsFiles());
            wanted.clear();
            comparison.setComparison(Comparison::ErrorByLayer);
            QVERIFY(comparison.needsFiles());
            QCOMPARE(wanted.count(), 1);
        }
        std::vector<RunRow> selected(250);
        std::vector<RunCurves> read(RunsComparison::kMostRead);
        for (std::size_t i = 0; i < selected.size(); ++i) {
            selected[i].id = "run-" + std::to_string(1000 + i);
            if (i < read.size()) {
                read[i].run = selected[i];
                MatrixRow matrix;
                matrix.name = "blk.0.attn_q";
                matrix.kind = "attn_q";
                matrix.relativeError = 0.1;
                read[i].matrices.push_back(matrix);
            }
        }
        comparison.setSelected(selected);
        comparison.setCompared(read);
        QStringList notes;
        for (const QLabel* label : comparison.findChildren<QLabel*>()) {
            notes << label->text();
        }
        QVERIFY2(notes.contains("the first 100 of 250 selected runs"), qPrintable(notes.join('|')));
        comparison.setComparison(Comparison::ErrorMap);
        QCOMPARE(comparison.maps()->difference()->data().columns, QStringList{"0"});
        QVERIFY(!comparison.maps()->second()->isHidden());
        comparison.setCompared({read[0]});
        QVERIFY(comparison.maps()->second()->isHidden());
        QCOMPARE(comparison.maps()->first()->data().values, QList<double>{0.1});
        comparison.setComparison(Comparison::ErrorByLayer);  // as it was found
    }

    // Last: the store is gone after it.
    void aDamagedStoreIsNamed() {
        QFile file(QString::fromStdString(storePath().string()));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("no database at all, and long enough to be looked at");
        file.close();
        for (const char* other : {"-wal", "-shm"}) {
            QFile::remove(file.fileName() + other);
        }
        QSignalSpy problems(m_page.get(), &RunsPage::problem);
        m_page->list()->select({"dense"});
        entry("runsMark", "Star")->trigger();
        QTRY_VERIFY(!problems.isEmpty());
        QVERIFY2(problems[0][1].toString().contains("cospadi.sqlite"),
                 qPrintable(problems[0][1].toString()));
        QCOMPARE(m_page->model()->rowCount(), 5);  // what was read stays
    }
};

COSPADI_TEST(TestRunsPage)

}  // namespace tst_runs_page

#include "tst_runs_page.moc"
