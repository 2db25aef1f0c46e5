// The layout of a table by hand: decimals and marks, the order of rows and columns, other names,
// headings of two lines.
#include <QCheckBox>
#include <QHeaderView>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include "tests/registered_test.h"
#include "tests/ui/tables_page_fixture.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/widgets/ordered_list.h"

namespace tst_table_layout {

using namespace cospadi;
using namespace cospadi::ui;

class TestTableLayout : public QObject, TablesPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() {
        useOwnStore();
        writeRuns();
    }
    void init() { openPage(); }

    void looksAsAsked() {
        m_page->show();
        useError();
        waitFor([this] { find<QSpinBox>("tableDecimals")->setValue(2); });
        waitFor([this] { find<QCheckBox>("tableDeviations")->setChecked(false); });
        QCOMPARE(cell(1, 1), QString("0.11"));
        waitFor([this] { find<QCheckBox>("tableSecond")->setChecked(false); });
        QVERIFY(
            !m_page->preview()->model()->index(0, 1).data(Qt::FontRole).value<QFont>().underline());
        waitFor([this] { find<QCheckBox>("tableBest")->setChecked(false); });
        QVERIFY(!m_page->preview()->model()->index(1, 1).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY2(m_page->preview()->command().endsWith("--decimals 2 --no-best --no-second "
                                                       "--no-deviation"),
                 qPrintable(m_page->preview()->command()));
    }

    void orderByKeys() {
        m_page->show();
        useError();
        auto* list = find<OrderedList>("tableColumnOrder")->list();
        list->setFocus();
        list->setCurrentRow(2);
        waitFor([list] { QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.3", "CR 0.2"}));
        QCOMPARE(list->currentRow(), 1);  // the same column is still in hand
        // A drag ends as a move of its row.
        waitFor([list] {
            QVERIFY(list->model()->moveRow(QModelIndex(), 0, QModelIndex(), list->count()));
        });
        QCOMPARE(headings(), (QStringList{"CR 0.3", "CR 0.2", "method"}));
        waitFor([list] {
            QVERIFY(list->model()->moveRow(QModelIndex(), list->count() - 1, QModelIndex(), 0));
        });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.3", "CR 0.2"}));
        auto* rows = find<OrderedList>("tableRowOrder")->list();
        rows->setCurrentRow(0);
        waitFor([this] { find<OrderedList>("tableRowOrder")->moveCurrent(1); });
        QCOMPARE(cell(0, 0), QString("cospadi (fast)"));
        // Left out, and back again with everything else.
        waitFor([list] { list->item(1)->setCheckState(Qt::Unchecked); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.2"}));
        QCOMPARE(cell(0, 0), QString("cospadi (fast)"));
        waitFor([this] { find<QPushButton>("tableReset")->click(); });
        QCOMPARE(headings(), (QStringList{"method", "CR 0.2", "CR 0.3"}));
        QCOMPARE(list->item(1)->checkState(), Qt::Checked);
    }

    void renamesWhereItStands() {
        m_page->show();
        useError();
        ReportTableModel* model = m_page->preview()->model();
        waitFor([model] { QVERIFY(model->setData(model->index(1, 0), "CoSpaDi", Qt::EditRole)); });
        QCOMPARE(cell(1, 0), QString("CoSpaDi"));
        waitFor([model] { QVERIFY(model->setData(model->index(1, 0), "Ours", Qt::EditRole)); });
        QCOMPARE(cell(1, 0), QString("Ours"));
        waitFor(
            [this] { find<OrderedList>("tableColumnOrder")->list()->item(1)->setText("20 %"); });
        QCOMPARE(headings(), (QStringList{"method", "20 %", "CR 0.3"}));
        waitFor([model] { QVERIFY(model->setData(model->index(1, 0), "", Qt::EditRole)); });
        QCOMPARE(cell(1, 0), QString("cospadi (fast)"));
        QVERIFY(!model->setData(model->index(1, 1), "0", Qt::EditRole));  // numbers are measured
    }

    // Two settings across stand in two lines, the first over all columns that share it.
    void headingsOfTwoLines() {
        m_page->resize(1200, 700);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        const auto heightOf = [this](const QStringList& across) {
            waitFor([&] {
                TableDesign design;
                design.metric = "piqa/acc_norm";
                design.rows = {"rho"};
                design.columns.clear();
                for (const QString& dimension : across) {
                    design.columns.push_back(dimension.toStdString());
                }
                m_page->setDesign(design);
            });
            return find<QTableView>("tableView")->horizontalHeader()->height();
        };
        const int one = heightOf({"method"});
        const int two = heightOf({"cr", "method"});
        QVERIFY(two > 1.5 * one);
        picture("tables-two-lines");
        QSet<int> widths;  // of numbers
        const std::vector<ReportColumn>& columns = m_page->preview()->model()->table().columns;
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (columns[column].kind != ColumnKind::Text) {
                widths << find<QTableView>("tableView")->columnWidth(static_cast<int>(column));
            }
        }
        QCOMPARE(widths.size(), 1);
        const ReportTableModel* model = m_page->preview()->model();
        const auto shared = [&](int column) {
            return model->headerData(column, Qt::Horizontal, ReportTableModel::SharedHeadingRole)
                .toString();
        };
        QStringList over;
        for (int column = 0; column < model->columnCount(); ++column) {
            over << shared(column);
        }
        const auto first = over.indexOf("CR 0.2");
        QVERIFY2(first > 0 && over[first + 1] == "CR 0.2", qPrintable(over.join('|')));
        QCOMPARE(headings()[first], QString("svd-llm"));
        QCOMPARE(headings()[0], QString::fromUtf8("ρ"));
        QVERIFY(over[0].isEmpty());
        QCOMPARE(model->headerData(static_cast<int>(first), Qt::Horizontal, Qt::AccessibleTextRole)
                     .toString(),
                 QString("CR 0.2, svd-llm"));
        auto* tabs = find<QTabBar>("tableFormats");
        tabs->setCurrentIndex(1);
        QVERIFY(m_page->preview()->source().contains("\\multicolumn{2}{c}{CR 0.2}"));
        tabs->setCurrentIndex(0);
    }
};

COSPADI_TEST(TestTableLayout)

}  // namespace tst_table_layout

#include "tst_table_layout.moc"
