// The Runs page over a real store: marks that are written, columns that are remembered, groups,
// what differs, and charts that filter. Published numbers were read off the paper's Table 3.
#include <QAbstractItemModelTester>
#include <QAbstractScrollArea>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
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
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
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
        filter.setWords("svd-llm 0.3");
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.rowCount(filter.index(0, 0)), 1);
        RunRow marked = runs.run(0);
        marked.archived = true;
        runs.setMarks(marked);
        filter.setWords({});
        runs.setRuns({});
        QCOMPARE(filter.rowCount(), 0);
    }

    void everyWidgetHasAName() {
        compare("value against CR");
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
        const auto timed = [](const char* what, const auto& action) {
            const std::clock_t start = std::clock();
            action();
            const double milliseconds =
                1000 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            qInfo("%s: %.0f ms", what, milliseconds);
            return milliseconds < 1000;
        };
        QVERIFY(timed("open", [&] { list.setCatalog({runs, {}, {}}); }));
        QVERIFY(timed(
            "sort", [&] { view->sortByColumn(RunsTableModel::ErrorColumn, Qt::AscendingOrder); }));
        const std::vector<RunRow> sorted = list.onShow();
        QVERIFY(std::is_sorted(sorted.begin(), sorted.end(), [](const RunRow& a, const RunRow& b) {
            const auto key = [](const RunRow& run) {  // unknown last
                return run.method == "dense" ? 2 : run.relativeError;
            };
            return key(a) < key(b);
        }));
        QVERIFY(timed("filter",
                      [&] { list.findChild<QLineEdit*>("runsFilter")->setText("svd-llm 0.3"); }));
        QCOMPARE(list.onShow().size(), std::size_t{2000});
        QVERIFY(timed("differ", [&] {
            list.findChild<QLineEdit*>("runsFilter")->clear();
            list.findChild<QToolButton*>("onlyDiffering")->click();
        }));
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
        compare("value against CR");
        auto* metric = find<QComboBox>("comparisonMetric");
        QVERIFY(!find<QToolButton>("paperResults")->isEnabled());  // perplexity of tokens: none
        metric->setCurrentIndex(metric->findData("piqa/acc_norm"));
        m_page->selectAll();
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
