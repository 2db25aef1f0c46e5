// What stands side by side is aligned: headings of cards at one height, columns of numbers at one
// width.
#include <QHBoxLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <QtTest>
#include <cmath>
#include <memory>

#include "tests/registered_test.h"
#include "ui/base/theme.h"
#include "ui/charts/export_button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/row_table.h"

namespace tst_alignment {

using namespace cospadi;
using namespace cospadi::ui;

class TestAlignment : public QObject {
    Q_OBJECT

  private slots:
    void init() { applyTheme(*qApp); }

    void headingsStandAtOneHeight() {
        Card plain(QStringLiteral("Plain"));
        Card exporting(QStringLiteral("With Export"));
        exporting.headerRow()->addWidget(new ExportButton([] { return ExportSource(); }));
        int middles[2] = {};
        for (int i = 0; i < 2; ++i) {
            Card& card = i == 0 ? plain : exporting;
            card.body()->addStretch(1);
            card.resize(400, 200);
            card.show();
            QTest::qWait(1);
            const auto* heading = card.findChild<QLabel*>(QStringLiteral("heading"));
            middles[i] = heading->mapTo(&card, heading->rect().center()).y();
        }
        QVERIFY2(std::abs(middles[0] - middles[1]) <= 1,
                 qPrintable(QString("%1 %2").arg(middles[0]).arg(middles[1])));
    }

    void numbersShareOneWidth() {
        QStandardItemModel model(2, 4);
        const QStringList cells{"a name", "1", "1.42 MB", "≈ 1.5 s"};
        for (int column = 0; column < 4; ++column) {
            for (int row = 0; row < 2; ++row) {
                model.setItem(row, column, new QStandardItem(cells[column]));
            }
            model.setHeaderData(column, Qt::Horizontal,
                                int(column == 0 ? Qt::AlignLeft : Qt::AlignRight),
                                Qt::TextAlignmentRole);
        }
        std::unique_ptr<QTableView> table(makeRowTable("t", "t", &model));
        fitColumns(*table, 0);
        table->resize(600, 200);
        table->show();
        QTest::qWait(100);
        QCOMPARE(table->columnWidth(1), table->columnWidth(2));
        QCOMPARE(table->columnWidth(2), table->columnWidth(3));
        const int needed = table->fontMetrics().horizontalAdvance("1.42 MB");
        QVERIFY(table->columnWidth(2) >= needed + 10);
        int sum = 0;
        for (int column = 0; column < 4; ++column) {
            sum += table->columnWidth(column);
        }
        QVERIFY2(std::abs(sum - table->viewport()->width()) <= 1,
                 qPrintable(QString("%1 of %2").arg(sum).arg(table->viewport()->width())));
        // Where there is no room each has what it needs, and nothing is cut.
        table->resize(250, 200);
        QTest::qWait(100);
        QVERIFY(table->columnWidth(1) < table->columnWidth(2));
        QVERIFY(table->columnWidth(2) >= needed + 4);
        // What comes later counts, too.
        table->resize(700, 200);
        model.setItem(1, 3, new QStandardItem("a much longer number"));
        QTRY_VERIFY(table->columnWidth(3) >
                    table->fontMetrics().horizontalAdvance("a much longer number"));
        QTRY_COMPARE(table->columnWidth(1), table->columnWidth(3));
    }
};

COSPADI_TEST(TestAlignment)

}  // namespace tst_alignment

#include "tst_alignment.moc"
