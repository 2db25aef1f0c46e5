// The table of the Runs page: its models, columns of one width that are remembered, what differs
// between runs, ten thousand of them.
#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QSignalSpy>
#include <QThreadPool>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <algorithm>

#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
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

    // Names that are cut short take room that is left, until a hand sets a width.
    void namesTakeTheRoomThatIsLeft() {
        const auto width = [&] { return table()->columnWidth(RunsTableModel::NameColumn); };
        const QString longName = QString(60, 'n');
        writeRun(longName.toStdString(), "svd", 0.2, 2, 0.5, 0.5);
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->refresh();
        QTRY_VERIFY(!changed.isEmpty());
        const int whole = static_cast<const QAbstractItemView*>(table())->sizeHintForColumn(
            RunsTableModel::NameColumn);
        m_page->resize(m_page->minimumSizeHint());
        QTRY_VERIFY(table()->viewport()->width() < 1200);
        const int narrow = width();
        QVERIFY(narrow < whole);
        m_page->resize(3000, 800);
        QTRY_VERIFY(width() >= whole);
        m_page->resize(m_page->minimumSizeHint());
        QTRY_COMPARE(width(), narrow);
        table()->setColumnWidth(RunsTableModel::NameColumn, narrow + 7);
        m_page->resize(3000, 800);
        QTRY_VERIFY(table()->viewport()->width() > 2000);
        QCOMPARE(width(), narrow + 7);
        QVERIFY(QDir(m_folder.filePath("runs/" + longName)).removeRecursively());
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
        entry("runsView", "Columns>Default columns")->trigger();
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

    // A column that is moved while only some are shown leaves the others chosen.
    void onlyWhatDiffersIsForNowAlone() {
        entry("runsView", "Columns>Default columns")->trigger();
        QStringList before = shownColumns();
        find<QToolButton>("onlyDiffering")->click();
        QHeaderView* header = table()->header();
        header->moveSection(header->visualIndex(RunsTableModel::ErrorColumn), 1);
        find<QToolButton>("onlyDiffering")->click();
        QStringList after = shownColumns();
        QCOMPARE(after[1], "error");
        before.sort();
        after.sort();
        QCOMPARE(after, before);
        init();
        QCOMPARE(shownColumns()[1], "error");
        entry("runsView", "Columns>Default columns")->trigger();
    }

    // Runs are read again whenever one has ended: the keyboard goes on where it was.
    void readingAgainKeepsThePlaceOfTheKeyboard() {
        table()->setCurrentIndex(cell("llm-2", RunsTableModel::CrColumn));
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->refresh();
        QTRY_VERIFY(!changed.isEmpty());
        QCOMPARE(table()->currentIndex(), cell("llm-2", RunsTableModel::CrColumn));
    }

    void readingAgainWaitsForWhatIsTyped() {
        const QModelIndex tags = cell("llm-2", RunsTableModel::TagsColumn);
        table()->setCurrentIndex(tags);
        table()->edit(tags);
        const QPointer<QLineEdit> editor = table()->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        editor->setText("half a ta");
        QSignalSpy changed(m_page.get(), &RunsPage::runsChanged);
        m_page->refresh();
        QThreadPool::globalInstance()->waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(editor != nullptr && changed.isEmpty());
        editor->setText("half a tag");
        QTest::keyClick(editor.data(), Qt::Key_Return);
        QTRY_COMPARE(stored("llm-2").tags, std::vector<std::string>{"half a tag"});
        QTRY_VERIFY(changed.size() >= 2);  // of the mark, and of what was read again
        // Read while it was being written, runs are read once more.
        QTRY_COMPARE(cell("llm-2", RunsTableModel::TagsColumn).data().toString(), "half a tag");
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
};

COSPADI_TEST(TestRunsList)

}  // namespace tst_runs_list

#include "tst_runs_list.moc"
