// What the window knows of a run, from events alone.
#include <QJsonArray>
#include <QtTest>

#include "ui/engine/run_trace.h"

using namespace cospadi::ui;

class TestRunTrace : public QObject {
    Q_OBJECT

  private slots:
    void followsARun() {
        RunTrace trace;
        trace.apply(
            {{"event", "run_started"}, {"matrices", 5}, {"finished", 2}, {"directory", "/r"}});
        QCOMPARE(trace.expected(), 5);
        QCOMPARE(trace.finished(), 2);
        trace.apply({{"event", "matrix_started"},
                     {"matrix", "a"},
                     {"d1", 8},
                     {"d2", 9},
                     {"k", 4},
                     {"s", 2}});
        trace.apply({{"event", "iteration"},
                     {"matrix", "a"},
                     {"iteration", 1},
                     {"relative_error", 0.5},
                     {"dead_atoms", 1},
                     {"usage_entropy", 0.8},
                     {"usage", QJsonArray{9, 4, 0}}});
        trace.apply({{"event", "iteration"},
                     {"matrix", "a"},
                     {"iteration", 2},
                     {"relative_error", QJsonValue()}});
        const MatrixTrace& matrix = trace.matrices().first();
        QCOMPARE(matrix.error, (QList<QPointF>{{1, 0.5}}));  // a null error is no point
        QCOMPARE(matrix.usage, (QList<double>{9, 4, 0}));
        QCOMPARE(matrix.latestError(), 0.5);
        trace.apply({{"event", "matrix_finished"},
                     {"matrix", "a"},
                     {"relative_error", 0.4},
                     {"bytes", 10},
                     {"dense_bytes", 20}});
        QCOMPARE(trace.finished(), 3);
        QCOMPARE(matrix.latestError(), 0.4);
        QVERIFY(matrix.finished);
    }

    void aMatrixBegunAgainStartsAnew() {
        RunTrace trace;
        for (int attempt = 0; attempt < 2; ++attempt) {
            trace.apply({{"event", "matrix_started"}, {"matrix", "a"}});
            trace.apply({{"event", "iteration"},
                         {"matrix", "a"},
                         {"iteration", 1},
                         {"relative_error", 0.5}});
        }
        QCOMPARE(trace.matrices().size(), 1);
        QCOMPARE(trace.matrices().first().error.size(), 1);
    }

    void strangeEventsChangeNothing() {
        RunTrace trace;
        trace.apply({});
        trace.apply({{"event", "from_the_future"}, {"matrix", "a"}});
        trace.apply({{"event", "iteration"}});
        trace.apply({{"event", 5}});
        QVERIFY(trace.matrices().isEmpty());
        QVERIFY(RunTrace::logLine({{"event", "iteration"}, {"matrix", "a"}}).isEmpty());
        QVERIFY(
            RunTrace::logLine({{"event", "warning"}, {"message", "shifted"}}).contains("shifted"));
    }
};

QTEST_GUILESS_MAIN(TestRunTrace)
#include "tst_run_trace.moc"
