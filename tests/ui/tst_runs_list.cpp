// The table of the Runs page: its models, groups, sweeps as rows, columns that are remembered, the
// typed filter, brushes that filter too, saved views.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QCompleter>
#include <QInputDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/saved_views.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_progress.h"
#include "ui/sources/run_marks.h"

namespace tst_runs_list {

using namespace cospadi;
using namespace cospadi::ui;

class TestRunsList : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

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

    // A sweep is a row of its own, which says how far it has got.
    void aSweepIsOneRow() {
        RunsTableModel runs;
        GroupedRunsModel groups(&runs);
        std::vector<RunRow> rows = m_page->model()->runs();
        rows[0].status = "interrupted";
        cospadi::ui::RunSettings settings;
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
        QCOMPARE(names, (QStringList{"no sweep (2)", "rho (2 of 3 finished)"}));
        RunsTableModel one;
        GroupedRunsModel alone(&one);
        one.setRuns({rows[1]});
        alone.setGroupColumn(RunsTableModel::MethodColumn);
        const QString tip = alone.index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.endsWith(": 1 run"), qPrintable(tip));
        // Those that have not begun are a part of it.
        groups.setWaiting({{"rho", 15}});
        names.clear();
        for (int row = 0; row < 2; ++row) {
            names << groups.index(row, 0).data().toString();
        }
        QVERIFY2(names.contains("rho (2 of 18 finished)") && names.contains("no sweep (2)"),
                 qPrintable(names.join(", ")));
        const int night = static_cast<int>(names.indexOf("rho (2 of 18 finished)"));
        const auto share = [&](int row, int column = 0) {
            return groups.index(row, column).data(GroupedRunsModel::ProgressRole);
        };
        QCOMPARE(share(night).toDouble(), 2 / 18.0);
        QVERIFY(!share(night, RunsTableModel::ErrorColumn).isValid() &&
                !share(1 - night).isValid());
        groups.setGroupColumn(RunsTableModel::MethodColumn);
        QVERIFY(!share(0).isValid());
        const QRect cell(10, 20, 200, 24);
        QCOMPARE(SweepProgress::bar(cell, 0.5).width() * 2, SweepProgress::bar(cell, 1).width());
        QVERIFY(cell.contains(SweepProgress::bar(cell, 1)));
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

    // Until a user says by what to group.
    void sweepsAreGroupedAtFirst() {
        QSettings().remove("runs/group");
        init();
        writeTag({"ours---2", "ours-2rho"}, "sweep:day");
        m_page->refresh();
        QTRY_VERIFY(m_page->model()->fieldNames().contains("sweep"));
        QTRY_VERIFY(cell("group:day", 0).isValid());
        QCOMPARE(cell("group:day", 0).data().toString(), "day (2)");
        QCOMPARE(cell("ours---2", 0).parent(), cell("group:day", 0));
        QVERIFY(!QSettings().contains("runs/group"));  // nobody has chosen it
        picture("runs-sweep-row");
        // The bar is drawn: whole, below the words.
        const QRect row = table()->visualRect(cell("group:day", 0));
        const QImage drawn = table()->viewport()->grab().toImage();
        const QPoint place = SweepProgress::bar(row, 1).center();
        QCOMPARE(drawn.pixelColor(place * drawn.devicePixelRatio()), theme().good);
        entry("runsView", "Group by>Nothing")->trigger();
        init();
        QTRY_VERIFY(cell("ours---2", 0).isValid());
        QVERIFY(!cell("group:day", 0).isValid());
    }

    void numbersShareOneWidth() {
        setPinnedRun({});
        init();
        const int width = table()->columnWidth(RunsTableModel::CrColumn);
        QVERIFY(width > table()->fontMetrics().horizontalAdvance("99 min 99"));
        for (const int column : {RunsTableModel::RhoColumn, RunsTableModel::BytesColumn,
                                 RunsTableModel::RatioColumn, RunsTableModel::ErrorColumn,
                                 RunsTableModel::PerplexityColumn, RunsTableModel::SecondsColumn}) {
            QCOMPARE(table()->columnWidth(column), width);
        }
        // What a hand has drawn stays when the runs are read again.
        table()->setColumnWidth(RunsTableModel::CrColumn, width + 30);
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->refresh();
        QTRY_VERIFY(!changed.isEmpty());
        QCOMPARE(table()->columnWidth(RunsTableModel::CrColumn), width + 30);
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
        writeTag({"ours---2"}, "both");
        m_page->refresh();
        QTRY_VERIFY(
            cell("ours---2", RunsTableModel::TagsColumn).data().toString().contains("both"));
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
        list.setCatalog({runs, {}, {}}, textsOf(runs));
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

    void brushesFilterTheTable() {
        compare("parallel coordinates");
        ParallelCoordinates* chart = m_page->parallelView();
        QCOMPARE(chart->lineCount(), 5);
        m_page->list()->select({"ours---2", "llm-2"});
        int error = -1;
        for (int axis = 0; axis < chart->axes().size(); ++axis) {
            error = chart->axes()[axis].word() == "error" ? axis : error;
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

    void viewsAreSaved() {
        auto* filter = find<QLineEdit>("runsFilter");
        filter->setText("cr=0.2");
        entry("runsView", "Group by>Method")->trigger();
        compare("ablation: a value over a setting");
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        saveAs(entry("runsView", "Saved views>Save this view…"), "viewDialog", "ρ at 0.2");
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

    // Which there are, in which order, and what colours the lines. A view of an earlier version
    // leaves all of it as it stands.
    void viewsKeepTheAxesOfParallelCoordinates() {
        compare("parallel coordinates");
        const qsizetype place = parallelAxes().indexOf("error");
        QVERIFY(place > 1);
        emit m_page->parallelView()->axisMoved(static_cast<int>(place), 0);
        entry("parallelAxes", "seconds")->trigger();
        choose("parallelColour", "error");
        const QStringList chosen = parallelAxes();
        QCOMPARE(chosen.first(), "error");
        QVERIFY(!chosen.contains("seconds"));
        saveAs(entry("runsView", "Saved views>Save this view…"), "viewDialog", "by error");
        emit m_page->parallelView()->axisMoved(0, 2);
        entry("parallelAxes", "seconds")->trigger();
        choose("parallelColour", "");
        compare("error by matrix");
        init();  // another start
        entry("runsView", "Saved views>by error")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "parallel coordinates");
        QCOMPARE(parallelAxes(), chosen);
        QCOMPARE(find<QComboBox>("parallelColour")->currentData().toString(), "error");
        QVERIFY(!entry("parallelAxes", "seconds")->isChecked());

        QJsonObject views =
            QJsonDocument::fromJson(QSettings().value("runs/views").toString().toUtf8()).object();
        QJsonObject earlier = views["by error"].toObject();
        earlier.remove("axes");
        earlier.remove("sweep");
        views["earlier"] = earlier;
        QSettings().setValue("runs/views", QString::fromUtf8(QJsonDocument(views).toJson()));
        QVERIFY(!savedView("earlier").parallel && !savedView("earlier").sweep);
        emit m_page->parallelView()->axisMoved(0, 1);
        const QStringList moved = parallelAxes();
        compare("error by matrix");
        entry("runsView", "Saved views>earlier")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "parallel coordinates");
        QCOMPARE(parallelAxes(), moved);
        QCOMPARE(find<QComboBox>("parallelColour")->currentData().toString(), "error");
    }
};

COSPADI_TEST(TestRunsList)

}  // namespace tst_runs_list

#include "tst_runs_list.moc"
