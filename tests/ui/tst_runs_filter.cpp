// What filters the table of the Runs page: typed words, which wait for the runs where they have to,
// and brushes in parallel coordinates.
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QtTest>
#include <memory>

#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_runs_filter {

using namespace cospadi;
using namespace cospadi::ui;

class TestRunsFilter : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

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
};

COSPADI_TEST(TestRunsFilter)

}  // namespace tst_runs_filter

#include "tst_runs_filter.moc"
