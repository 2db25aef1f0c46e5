// Groups in the table of the Runs page: by method with their best, sweeps as rows that say how far
// they are.
#include <QImage>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTreeView>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_progress.h"
#include "ui/sources/run_marks.h"

namespace tst_runs_groups {

using namespace cospadi;
using namespace cospadi::ui;

class TestRunsGroups : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

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

    void aTagPutsARunIntoAnotherGroup() {
        entry("runsView", "Group by>Tags")->trigger();
        QCOMPARE(table()->model()->rowCount(), 1);
        QCOMPARE(table()->model()->index(0, 0).data().toString(), "none (5)");
        m_page->list()->select({"llm-2"});
        QSignalSpy selected(m_page->list(), &RunsList::selectionChanged);
        emit m_page->list()->tagWanted({"llm-2"}, "for later");
        QTRY_COMPARE(table()->model()->rowCount(), 2);
        const QModelIndex group = cell("llm-2", RunsTableModel::NameColumn).parent();
        QCOMPARE(group.data().toString(), "for later (1)");
        QVERIFY(table()->isExpanded(group));
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{1});
        QCOMPARE(selected.count(), 0);
        emit m_page->list()->tagsWanted("llm-2", {});
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        QTRY_VERIFY(stored("llm-2").tags.empty());
        entry("runsView", "Group by>Nothing")->trigger();
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
};

COSPADI_TEST(TestRunsGroups)

}  // namespace tst_runs_groups

#include "tst_runs_groups.moc"
