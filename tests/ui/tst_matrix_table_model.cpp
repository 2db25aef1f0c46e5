// The table of a live run follows its trace.
#include <QAbstractItemModelTester>
#include <QIcon>
#include <QImage>
#include <QJsonArray>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/models/matrix_table_model.h"

namespace tst_matrix_table_model {

using namespace cospadi::ui;

class TestMatrixTableModel : public QObject {
    Q_OBJECT

  private slots:
    void followsTheTrace() {
        RunTrace trace;
        MatrixTableModel model(&trace);
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int matrix = 0; matrix < 3; ++matrix) {
            const QString name = QString("blk.%1.attn_q").arg(matrix);
            trace.apply({{"event", "matrix_started"},
                         {"matrix", name},
                         {"d1", 1000},
                         {"d2", 2000},
                         {"k", 30},
                         {"s", 15}});
            model.sync();
            QCOMPARE(model.rowCount(), matrix + 1);
            trace.apply({{"event", "iteration"},
                         {"matrix", name},
                         {"iteration", 1},
                         {"relative_error", 0.25},
                         {"usage_entropy", 0.9}});
            model.sync();
            QCOMPARE(model.index(matrix, MatrixTableModel::SizeColumn).data().toString(),
                     "running");
            trace.apply({{"event", "matrix_finished"},
                         {"matrix", name},
                         {"relative_error", 0.2},
                         {"bytes", 1000},
                         {"dense_bytes", 2000},
                         {"active_atoms", 29},
                         {"multiplications", 59000},
                         {"seconds", 1.5}});
            model.sync();
            QCOMPARE(model.index(matrix, MatrixTableModel::SizeColumn).data().toString(),
                     "1.00 kB");
        }
        const QString words = model.index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(
            words.contains("0.059 M multiplications per token, 2.000 M dense, 29 atoms in use"),
            qPrintable(words));
        model.setColours({{"blk.1.attn_q", QColor(Qt::red)}});
        // Red in a selected row, too, within a ring.
        const auto icon = model.index(1, 0).data(Qt::DecorationRole).value<QIcon>();
        for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected}) {
            const QImage seen = icon.pixmap(16, mode).toImage();
            QCOMPARE(seen.pixelColor(seen.rect().center()), QColor(Qt::red));
            QCOMPARE(seen.pixelColor(0, 0) == QColor(Qt::red), mode == QIcon::Normal);
        }
        trace.clear();
        model.sync();
        QCOMPARE(model.rowCount(), 0);
    }

    // Atoms and ranks are told of those that have them: integers, kept weights and whole layers
    // have none.
    void aTipTellsTheFactorsThatThereAre_data() {
        QTest::addColumn<QJsonObject>("facts");
        QTest::addColumn<QString>("words");
        QTest::newRow("dictionary") << QJsonObject{{"k", 30}, {"s", 15}}
                                    << "blk.0.attn_q (100 × 200): k = 30 atoms, s = 15 non-zeros "
                                       "per column";
        QTest::newRow("low rank") << QJsonObject{{"rank", 12}}
                                  << "blk.0.attn_q (100 × 200): rank 12";
        QTest::newRow("integers") << QJsonObject{{"bits", 4}, {"group_size", 128}}
                                  << "blk.0.attn_q (100 × 200)";
        QTest::newRow("whole") << QJsonObject() << "blk.0.attn_q (100 × 200)";
    }

    void aTipTellsTheFactorsThatThereAre() {
        QFETCH(QJsonObject, facts);
        QFETCH(QString, words);
        QJsonObject event{
            {"event", "matrix_started"}, {"matrix", "blk.0.attn_q"}, {"d1", 100}, {"d2", 200}};
        for (auto fact = facts.constBegin(); fact != facts.constEnd(); ++fact) {
            event.insert(fact.key(), fact.value());
        }
        RunTrace trace;
        trace.apply(event);
        MatrixTableModel model(&trace);
        model.sync();
        QCOMPARE(model.index(0, 0).data(Qt::ToolTipRole).toString(), words);
        // Of a finished one also what no form has a word for here.
        trace.apply({{"event", "matrix_finished"}, {"matrix", "blk.0.attn_q"}, {"facts", facts}});
        model.sync();
        const QString told = model.index(0, 0).data(Qt::ToolTipRole).toString();
        QCOMPARE(told.section('\n', 0, 0),
                 facts.contains("bits") ? words + ": bits 4, group_size 128" : words);
    }
};

COSPADI_TEST(TestMatrixTableModel)

}  // namespace tst_matrix_table_model

#include "tst_matrix_table_model.moc"
