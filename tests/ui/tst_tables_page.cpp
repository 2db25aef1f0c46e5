// The Tables page as its user works it: what stands in the table without runs and with them, by
// settings, filters, and beside the paper.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/tables_page_fixture.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/ordered_list.h"

namespace tst_tables_page {

using namespace cospadi;
using namespace cospadi::ui;

class TestTablesPage : public QObject, TablesPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { useOwnStore(); }
    void init() { openPage(); }

    void withoutRunsItSaysSo() {
        waitFor([this] { m_page->show(); });
        QVERIFY(find<EmptyState>("tableMessage")->text().contains("No runs are stored yet"));
        QVERIFY(!find<QPushButton>("tableExport")->isEnabled());
        picture("tables-empty");
        // The paper's tables need none.
        waitFor([this] { choose("tableSource", "published:main-results"); });
        QCOMPARE(m_page->preview()->model()->rowCount(), 14);
    }

    void fillTheStore() { writeRuns(); }

    void everyWidgetHasAName() {
        waitFor([this] { m_page->show(); });
        const QStringList nameless = namelessIn(*m_page);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    void showsThePivot() {
        waitFor([this] { m_page->show(); });
        const QAbstractItemModelTester tester(
            m_page->preview()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        // No perplexity was measured: the page begins with what there is, and says what to do where
        // a user asks for it.
        waitFor([this] { choose("tableMetric", "perplexity"); });
        QVERIFY(find<EmptyState>("tableMessage")->text().contains("perplexity"));
        waitFor([this] { choose("tableMetric", "error"); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.2", "CR 0.3"}));
        QCOMPARE(cell(0, 1), QString("0.2500"));
        QCOMPARE(cell(1, 1), QString("0.1100 ± 0.0141 (n=2)"));
        QVERIFY(m_page->preview()->model()->index(1, 1).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(
            m_page->preview()->model()->index(0, 1).data(Qt::FontRole).value<QFont>().underline());
        QVERIFY(m_page->preview()->command().contains("report --rows method --columns cr"));
    }

    void settingsAreAddedAndRemoved() {
        m_page->show();
        useError();
        auto* rows = find<OrderedList>("tableRows");
        QAction* seed = nullptr;
        for (QAction* action : rows->findChild<QMenu*>()->actions()) {
            QVERIFY(action->text() != "method");  // it stands there already
            seed = action->text() == "seed" ? action : seed;
        }
        QVERIFY(seed != nullptr);
        waitFor([seed] { seed->trigger(); });
        QCOMPARE(headings(), (QStringList{"method", "seed", "CR 0.2", "CR 0.3"}));
        QCOMPARE(m_page->preview()->model()->rowCount(), 3);
        waitFor([rows] { rows->moveCurrent(-1); });
        QCOMPARE(headings(), (QStringList{"seed", "method", "CR 0.2", "CR 0.3"}));
        auto* columns = find<OrderedList>("tableColumns");
        columns->list()->setCurrentRow(0);
        waitFor([columns] { QTest::keyClick(columns->list(), Qt::Key_Delete); });
        QCOMPARE(headings(), (QStringList{"seed", "method", "error"}));
        QVERIFY(m_page->preview()->command().contains("--no-columns"));
    }

    void filtersAndBadNumbers() {
        m_page->show();
        useError();
        waitFor([this] { find<QLineEdit>("tableCr")->setText("0.3"); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.3"}));
        waitFor([this] { find<QLineEdit>("tableCr")->setText("0.3 zero"); });
        QVERIFY(find<EmptyState>("tableMessage")->text().contains("CR"));
        waitFor([this] { find<QLineEdit>("tableCr")->clear(); });
        waitFor([this] { choose("tableMethod", "svd-llm"); });
        QCOMPARE(m_page->preview()->model()->rowCount(), 1);
    }

    void thePaperBeside() {
        m_page->show();
        waitFor([this] {
            TableDesign design;
            design.metric = "piqa/acc_norm";
            design.beside = {"3"};
            m_page->setDesign(design);
        });
        QCOMPARE(m_page->preview()->model()->rowCount(), 2 + 6);  // three rows for each model
        QVERIFY(m_page->preview()->source().contains("arXiv:2509.22075"));
        picture("tables-beside");
    }
};

COSPADI_TEST(TestTablesPage)

}  // namespace tst_tables_page

#include "tst_tables_page.moc"
