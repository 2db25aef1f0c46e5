// The one answer to "is anything going on?": every kind of work begins it, and every end ends it.
#include <QSignalSpy>
#include <QtTest>

#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/engine/activity.h"
#include "ui/engine/curve_source.h"
#include "ui/engine/data_fetch.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/reproduction_work.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/engine/task_queue.h"

namespace tst_activity {

using namespace cospadi::ui;
using Kind = Activity::Kind;

namespace {

// Everything that can be at work, over one engine.
struct Works {
    Works() {
        QObject::connect(&activity, &Activity::changed, &activity,
                         [this] { kinds << activity.kind(); });
    }

    EngineClient engine;
    RunController run{&engine};
    RunQueue queue{&run};
    MatrixLab lab{&engine};
    PerplexityMeasurement perplexity{&engine};
    TaskQueue tasks{&engine};
    DataFetch fetch{&engine};
    ReproductionWork reproduction{&engine};
    CurveSource curves{&engine};
    Activity activity{{&run, &queue, &tasks, &fetch, &perplexity, &lab, &reproduction, &curves}};
    QList<Kind> kinds;  // one each time that it changed
};

void begin(Works& works, Kind kind) {
    switch (kind) {
        case Kind::Run:
            works.run.start({});
            break;
        case Kind::Reproduction:
            works.reproduction.start({"ablation_data", "m", cospadi::ProtocolSize::Quick});
            break;
        case Kind::Tasks: {
            TaskJob job;
            job.model = "m";
            job.tasks = QStringList{"piqa"};
            works.tasks.add({job});
            break;
        }
        case Kind::Fetch:
            works.fetch.start({"piqa"});
            break;
        case Kind::Perplexity:
            works.perplexity.start({"/nowhere"}, 512);
            break;
        case Kind::Calibration:
            works.lab.calibrate({});
            break;
        case Kind::Curves:
            works.curves.measure(cospadi::RunSpecification());
            break;
        case Kind::Queue:
        case Kind::None:
            break;
    }
}

}  // namespace

class TestActivity : public QObject {
    Q_OBJECT

  private slots:
    void everyKindBeginsAndEnds_data() {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<QString>("word");
        QTest::newRow("run") << Kind::Run << "run";
        QTest::newRow("reproduction") << Kind::Reproduction << "paper";
        QTest::newRow("tasks") << Kind::Tasks << "Tasks";
        QTest::newRow("fetch") << Kind::Fetch << "Data sets";
        QTest::newRow("perplexity") << Kind::Perplexity << "Perplexity";
        QTest::newRow("calibration") << Kind::Calibration << "calibration";
        QTest::newRow("curves") << Kind::Curves << "whole model";
    }

    void everyKindBeginsAndEnds() {
        QFETCH(Kind, kind);
        QFETCH(QString, word);
        const QString answers[] = {
            "echo '{\"id\":2,\"error\":{\"message\":\"no\"}}'; cat > /dev/null",  // refused
            "kill -9 $$",                                                         // killed
            "exit 0",                                                             // gone by itself
        };
        for (const QString& answer : answers) {
            Works works;
            useScript(works.engine, "read -r line; " + answer);
            QVERIFY(works.activity.isIdle());
            QVERIFY(works.activity.words().isEmpty() && works.activity.wordsOfStop().isEmpty());
            begin(works, kind);
            QCOMPARE(works.activity.kind(), kind);
            QVERIFY2(works.activity.words().contains(word), qPrintable(works.activity.words()));
            QVERIFY(!works.activity.wordsOfStop().isEmpty());
            QCOMPARE(works.activity.isRunAlone(), kind == Kind::Run);
            QTRY_VERIFY(works.activity.isIdle());
            QCOMPARE(works.kinds, (QList<Kind>{kind, Kind::None}));
        }
    }

    void stoppingTheEngineEndsEverything() {
        Works works;
        useScript(works.engine, kSilence);
        for (const Kind kind : {Kind::Run, Kind::Reproduction, Kind::Tasks, Kind::Fetch,
                                Kind::Perplexity, Kind::Calibration, Kind::Curves}) {
            begin(works, kind);
        }
        QCOMPARE(works.activity.kind(), Kind::Run);
        QVERIFY(!works.activity.isRunAlone());
        works.engine.stop();
        QVERIFY(works.activity.isIdle());
        QVERIFY(!works.perplexity.isActive() && !works.tasks.isActive() &&
                !works.fetch.isActive() && !works.lab.isCalibrating() && !works.run.isActive() &&
                !works.reproduction.isActive() && !works.curves.isMeasuring());
    }

    void twoMeasurementsAreOverWithTheSecond() {
        Works works;
        useScript(works.engine,
                  "read -r line; echo '{\"id\":2,\"result\":{\"perplexity\":7}}'; read -r line; "
                  "read -r line; echo '{\"id\":3,\"result\":{\"perplexity\":8}}'; cat > /dev/null");
        QSignalSpy measured(&works.perplexity, &PerplexityMeasurement::measured);
        begin(works, Kind::Perplexity);
        works.perplexity.start({"/else"}, 512);
        QTRY_COMPARE(measured.count(), 1);
        QCOMPARE(works.activity.kind(), Kind::Perplexity);
        works.lab.stopExploring();  // nothing to stop: no request
        works.engine.request("stop_exploring");
        QTRY_COMPARE(measured.count(), 2);
        QVERIFY(works.activity.isIdle());
        QCOMPARE(measured[0][0].toString(), "/nowhere");
        QCOMPARE(measured[1][0].toString(), "/else");
        QCOMPARE(measured[1][1].toDouble(), 8.0);
    }

    // Asked for twice it is measured once; a failure is told with its run and the others go on.
    void aRunIsMeasuredOnceAndAFailureIsItsOwn() {
        Works works;
        useScript(works.engine,
                  "read -r line; read -r line; echo '{\"id\":2,\"error\":{\"message\":\"no\"}}'; "
                  "read -r line; echo '{\"id\":4,\"result\":{\"perplexity\":8}}'; "
                  "while read -r line; do echo '{\"id\":5,\"result\":{\"perplexity\":9}}'; done");
        QSignalSpy measured(&works.perplexity, &PerplexityMeasurement::measured);
        QSignalSpy failed(&works.perplexity, &PerplexityMeasurement::failed);
        QSignalSpy ended(&works.perplexity, &PerplexityMeasurement::ended);
        works.perplexity.start({"/a", "/b"}, 512);
        works.perplexity.start({"/b", "/a"}, 512);
        QCOMPARE(works.perplexity.count(), 2);
        QCOMPARE(works.perplexity.number(), 1);
        works.engine.request("stop_exploring");  // the second line: now it may answer the first
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(ended[0][0].toInt(), 1);
        QCOMPARE(measured.count(), 1);
        QCOMPARE(measured[0][0].toString(), "/b");
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), "/a");
        QVERIFY(works.activity.isIdle());
    }

    void cancellingEndsTheMeasurementAtHandAndForgetsTheOthers() {
        Works works;
        useScript(works.engine,
                  "read -r line; read -r line; case \"$line\" in *cancel*perplexity*) echo "
                  "'{\"id\":3,\"result\":{}}'; echo "
                  "'{\"id\":2,\"error\":{\"message\":\"cancelled\"}}';; esac; cat > /dev/null");
        QSignalSpy failed(&works.perplexity, &PerplexityMeasurement::failed);
        QSignalSpy ended(&works.perplexity, &PerplexityMeasurement::ended);
        works.perplexity.start({"/a", "/b", "/c"}, 512);
        works.perplexity.cancel();
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(ended[0][0].toInt(), 0);
        QCOMPARE(failed.count(), 0);  // it was wanted
        QVERIFY(works.activity.isIdle());
    }

    // Between two runs of the queue something goes on all the same.
    void aQueueIsNotIdleBetweenItsRuns() {
        Works works;
        useScript(works.engine, kFinishesAtOnce);
        QSignalSpy finished(&works.run, &RunController::runFinished);
        works.queue.setHeld(true);
        works.queue.add({Job(), Job()});
        QVERIFY(works.activity.isIdle());  // held: the user says when
        works.queue.setHeld(false);
        QTRY_COMPARE(finished.count(), 2);
        QTRY_VERIFY(works.activity.isIdle());
        QCOMPARE(works.kinds,
                 (QList<Kind>{Kind::Queue, Kind::Run, Kind::Queue, Kind::Run, Kind::None}));
    }
};

COSPADI_TEST(TestActivity)

}  // namespace tst_activity

#include "tst_activity.moc"
