// What the window knows of a run, from events alone.
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/error.h"
#include "tests/registered_test.h"
#include "ui/charts/curve_chart.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/engine/run_history.h"
#include "ui/engine/run_queue.h"
#include "ui/engine/run_trace.h"
#include "ui/models/run_error_curves.h"
#include "ui/pages/monitor/earlier_runs.h"
#include "ui/pages/monitor/monitor_page.h"

namespace tst_run_trace {

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
                     {"usage", QJsonArray{9, 4, 0}},
                     {"seconds", 2},
                     {"coding_seconds", 1.25},
                     {"dictionary_seconds", 0.5}});
        trace.apply({{"event", "iteration"},
                     {"matrix", "a"},
                     {"iteration", 2},
                     {"seconds", 1},
                     {"coding_seconds", 0.5},
                     {"dictionary_seconds", 0.25},
                     {"relative_error", QJsonValue()}});
        const MatrixTrace& matrix = trace.matrices().first();
        QCOMPARE(matrix.error, (QList<QPointF>{{1, 0.5}}));  // a null error is no point
        QCOMPARE(matrix.usage, (QList<double>{9, 4, 0}));
        QCOMPARE(matrix.latestError(), 0.5);
        QCOMPARE(matrix.codingSeconds, 1.75);
        QCOMPARE(matrix.dictionarySeconds, 0.75);
        trace.apply({{"event", "matrix_finished"},
                     {"matrix", "a"},
                     {"relative_error", 0.4},
                     {"seconds", 5},
                     {"coding_seconds", 2.5},
                     {"dictionary_seconds", 1},
                     {"active_atoms", 3},
                     {"multiplications", 42},
                     {"bytes", 10},
                     {"dense_bytes", 20}});
        QCOMPARE(trace.finished(), 3);
        QCOMPARE(matrix.latestError(), 0.4);
        QVERIFY(matrix.finished);
        QCOMPARE(matrix.seconds, 5.0);
        QCOMPARE(matrix.codingSeconds, 2.5);  // with what is not in iterations
        QCOMPARE(matrix.dictionarySeconds, 1.0);
        QCOMPARE(matrix.activeAtoms, 3);
        QCOMPARE(matrix.multiplications, 42.0);
    }

    void runsSayWhatTheirErrorsAreOf() {
        RunTrace trace;
        QVERIFY(trace.isWhitened());  // as most are that do not say
        trace.apply({{"event", "run_started"}, {"matrices", 1}, {"whitened", false}});
        QVERIFY(!trace.isWhitened());
        trace.apply({{"event", "run_started"}, {"matrices", 1}, {"whitened", true}});
        QVERIFY(trace.isWhitened());
    }

    // Drawn dashed beside the fitted one, of the matrices that stand out, with a name that says so.
    void textThatIsHeldOut() {
        RunTrace trace;
        for (const char* name : {"a", "b"}) {
            trace.apply({{"event", "matrix_started"}, {"matrix", name}});
            trace.apply({{"event", "iteration"},
                         {"matrix", name},
                         {"iteration", 1},
                         {"relative_error", 0.5}});
            QVERIFY(trace.matrices().last().heldOutError.isEmpty());
        }
        QVERIFY(!trace.hasHeldOut());
        const QHash<QString, QColor> colours = {{"a", Qt::red}};
        QCOMPARE(runErrorCurves(trace, colours).size(), 2);
        trace.apply({{"event", "iteration"},
                     {"matrix", "a"},
                     {"iteration", 2},
                     {"relative_error", 0.25},
                     {"held_out_error", 0.375}});
        QVERIFY(trace.hasHeldOut());
        QList<Curve> curves = runErrorCurves(trace, colours);
        QCOMPARE(curves.size(), 3);
        QCOMPARE(curves[0].pen, Qt::SolidLine);
        QCOMPARE(curves[1].name, "a, held out");
        QCOMPARE(curves[1].pen, Qt::DashLine);
        QCOMPARE(curves[1].colour, curves[0].colour);
        QCOMPARE(curves[1].points, (QList<QPointF>{{2, 0.375}}));
        trace.apply({{"event", "matrix_finished"},
                     {"matrix", "a"},
                     {"relative_error", 0.3},
                     {"held_out_error", 0.4}});
        curves = runErrorCurves(trace, colours);
        QCOMPARE(curves.size(), 5);
        QCOMPARE(curves[3].points, (QList<QPointF>{{2, 0.4}}));
        QVERIFY(curves[3].pointNames.first().contains("held out"));
        QVERIFY(RunTrace::logLine({{"event", "matrix_finished"},
                                   {"matrix", "a"},
                                   {"relative_error", 0.3},
                                   {"held_out_error", 0.4}})
                    .contains("held out"));
    }

    void theLogCountsMatrices() {
        const auto line = [](int matrices, int finished) {
            return RunTrace::logLine({{"event", "run_started"},
                                      {"matrices", matrices},
                                      {"finished", finished},
                                      {"directory", "/r"}});
        };
        QVERIFY2(line(1, 0).endsWith("run started: 1 matrix, in /r"), qPrintable(line(1, 0)));
        QVERIFY2(line(2, 1).endsWith("run started: 2 matrices, 1 already finished, in /r"),
                 qPrintable(line(2, 1)));
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

    // events.jsonl has no progress, and what was told before the first matrix is over with it.
    void matricesTellHowFarARunIs() {
        RunTrace trace;
        trace.apply({{"event", "progress"}, {"stage", "model"}, {"done", 0}, {"total", 1}});
        trace.apply({{"event", "run_started"}, {"matrices", 5}, {"finished", 2}});
        QCOMPARE(trace.progress().stage, QString());
        trace.apply({{"event", "progress"},
                     {"stage", "calibration"},
                     {"done", 7},
                     {"total", 9},
                     {"eta_seconds", 24}});
        QCOMPARE(trace.progress().stage, "calibration");
        const auto is = [&trace](qint64 done) {
            const StageProgress& now = trace.progress();
            return now.stage == "compress" && now.done == done && now.total == 5;
        };
        trace.apply({{"event", "matrix_started"}, {"matrix", "a"}});
        QVERIFY(is(2));
        QVERIFY(trace.progress().etaSeconds < 0);  // that of the calibration
        trace.apply({{"event", "matrix_started"}, {"matrix", "b"}});
        QVERIFY(is(2));
        trace.apply({{"event", "matrix_finished"}, {"matrix", "a"}});
        QVERIFY(is(3));
        trace.apply({{"event", "progress"},
                     {"stage", "compress"},
                     {"done", 3},
                     {"total", 5},
                     {"eta_seconds", 8}});
        trace.apply({{"event", "matrix_finished"}, {"matrix", "b"}});
        QVERIFY(is(4));
        QCOMPARE(trace.progress().etaSeconds, 8.0);
    }

    // Two starts: a is finished, b was in work when the first was killed, c is being made now.
    void whatEarlierStartsFinishedIsRecalled() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("events.jsonl"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const char* line :
             {R"({"event":"run_started","matrices":3,"finished":0})",
              R"({"event":"matrix_started","matrix":"a","d1":8,"d2":9,"k":4,"s":2})",
              R"({"event":"iteration","matrix":"a","iteration":1,"relative_error":0.5})",
              R"({"event":"matrix_started","matrix":"b"})",
              R"({"event":"matrix_finished","matrix":"a","relative_error":0.4,"bytes":10})",
              "{\"event\":\"iteration\",\"matr",
              R"({"event":"run_started","matrices":3,"finished":1})",
              R"({"event":"matrix_started","matrix":"c"})"}) {
            file.write(QByteArray(line) + '\n');
        }
        file.close();
        RunTrace trace;
        trace.apply({{"event", "run_started"}, {"matrices", 3}, {"finished", 1}});
        trace.recall(readRunHistory(folder.path()).trace);
        QCOMPARE(trace.matrices().size(), 1);
        const MatrixTrace& a = trace.matrices().first();
        QVERIFY(a.name == "a" && a.finished && a.k == 4);
        QCOMPARE(a.error, (QList<QPointF>{{1, 0.5}}));
        QCOMPARE(a.finalError, 0.4);
        QCOMPARE(trace.finished(), 1);  // the engine has counted it
        QCOMPARE(trace.indexOf("a"), 0);
        // Once more, and made again: it stays one matrix, and counts once.
        trace.recall(readRunHistory(folder.path()).trace);
        trace.apply({{"event", "run_started"}, {"matrices", 3}, {"finished", 0}});
        trace.apply({{"event", "matrix_started"}, {"matrix", "a"}});
        trace.apply({{"event", "matrix_finished"}, {"matrix", "a"}});
        QCOMPARE(trace.matrices().size(), 1);
        QCOMPARE(trace.finished(), 1);
        QVERIFY_EXCEPTION_THROWN((void)readRunHistory("/nowhere"), cospadi::Error);
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

    // Its events become curves, a table and a log in the place of the live run's, and back again.
    void anEarlierRunIsOpenedAndReferredTo() {
        QTemporaryDir folder;
        const auto write = [&](const char* id, double error) {
            const QString directory = folder.filePath(id);
            QDir().mkpath(directory);
            QFile file(directory + "/events.jsonl");
            if (file.open(QIODevice::WriteOnly)) {
                file.write(
                    "{\"event\":\"run_started\",\"matrices\":1}\n"
                    "{\"event\":\"matrix_started\",\"matrix\":\"blk.0.attn_q\",\"k\":4}\n"
                    "{\"event\":\"iteration\",\"matrix\":\"blk.0.attn_q\",\"iteration\":1,"
                    "\"relative_error\":" +
                    QByteArray::number(error) + "}\n");
            }
            cospadi::RunRow run;
            run.id = id;
            run.directory = directory.toStdString();
            run.status = "finished";
            run.matrices = 1;
            return run;
        };
        cospadi::RunRow a = write("run-a", 0.5);
        const cospadi::RunRow b = write("run-b", 0.25);
        a.tags = {"name:the first"};
        EngineClient engine;
        RunController run(&engine);
        RunQueue queue(&run);
        ClusterSweeps clusters;
        MonitorPage page(&run, &queue, &clusters);
        page.earlier()->setRuns({b, a});
        auto* reference = page.findChild<QComboBox*>("referenceRun");
        QVERIFY(reference != nullptr);
        QCOMPARE(reference->count(), 3);
        QCOMPARE(reference->itemText(2), QString("the first"));
        page.earlier()->open(QString::fromStdString(b.directory), "run-b");
        QTRY_COMPARE(page.errorChart()->curves().size(), 1);
        QCOMPARE(page.errorChart()->curves()[0].points, QList<QPointF>{QPointF(1, 0.25)});
        auto* table = page.findChild<QTableView*>("matrixTable");
        QCOMPARE(table->model()->rowCount(), 1);
        auto* words = page.findChild<QLabel*>("openedRun");
        QVERIFY(words->text().contains("run-b") && !page.earlier()->isHidden());
        QVERIFY(
            page.findChild<QPlainTextEdit*>("openedLog")->toPlainText().contains("run started"));

        reference->setCurrentIndex(2);
        QTRY_COMPARE(page.errorChart()->curves().size(), 2);
        const Curve& below = page.errorChart()->curves()[0];  // drawn first
        QCOMPARE(below.points, QList<QPointF>{QPointF(1, 0.5)});
        QCOMPARE(below.pen, Qt::DotLine);
        QCOMPARE(below.colour, page.errorChart()->curves()[1].colour);
        QVERIFY(below.name.contains("the first"));
        page.earlier()->setRuns({b});  // the reference was deleted
        QTRY_COMPARE(page.errorChart()->curves().size(), 1);

        // What cannot be read is told, and changes nothing.
        QSignalSpy told(page.earlier(), &EarlierRuns::problem);
        page.earlier()->open(folder.filePath("gone"), "the lost one");
        QTRY_COMPARE(told.count(), 1);
        QVERIFY(told[0][0].toString().contains("the lost one"));
        QCOMPARE(told[0][1].toString(), folder.filePath("gone"));
        QFile broken(folder.filePath("run-a/events.jsonl"));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("no event\n") > 0);
        broken.close();
        page.earlier()->setRuns({b, a});
        reference->setCurrentIndex(2);
        QTRY_COMPARE(told.count(), 2);
        QVERIFY(told[1][0].toString().contains("the first"));
        QCOMPARE(told[1][1].toString(), broken.fileName());
        QCOMPARE(reference->currentIndex(), 0);
        QVERIFY(words->text().contains("run-b"));
        QCOMPARE(page.errorChart()->curves().size(), 1);

        page.findChild<QPushButton*>("closeOpenedRun")->click();
        QVERIFY(page.earlier()->isHidden());
        QVERIFY(page.errorChart()->curves().isEmpty());
        QCOMPARE(table->model()->rowCount(), 0);

        // A run that is watched takes its place.
        page.earlier()->open(QString::fromStdString(b.directory), "run-b");
        QTRY_VERIFY(!page.earlier()->isHidden());
        run.follow("{}", QString::fromStdString(b.directory), "run-b");
        QVERIFY(page.earlier()->isHidden());
    }
};

COSPADI_TEST(TestRunTrace)

}  // namespace tst_run_trace

#include "tst_run_trace.moc"
