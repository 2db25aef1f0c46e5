// The table of a live run follows its trace.
#include <QAbstractItemModelTester>
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
            trace.apply({{"event", "matrix_started"}, {"matrix", name}, {"k", 30}, {"s", 15}});
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
                         {"seconds", 1.5}});
            model.sync();
            QCOMPARE(model.index(matrix, MatrixTableModel::SizeColumn).data().toString(),
                     "1.00 kB");
        }
        model.setColours({{"blk.1.attn_q", QColor(Qt::red)}});
        QCOMPARE(model.index(1, 0).data(Qt::DecorationRole).value<QColor>(), QColor(Qt::red));
        trace.clear();
        model.sync();
        QCOMPARE(model.rowCount(), 0);
    }
};

COSPADI_TEST(TestMatrixTableModel)

}  // namespace tst_matrix_table_model

#include "tst_matrix_table_model.moc"
