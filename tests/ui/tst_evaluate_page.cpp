// The Evaluate page and its models: jobs through a real engine on a small model, live accuracy,
// recorded results, items that flipped; what it says when nothing is there or something is wrong.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/core/own_folder.h"
#include "tests/registered_test.h"
#include "tests/ui/engine_in_shell.h"
#include "ui/base/theme.h"
#include "ui/engine/data_fetch.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/evaluate/sample_browser.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/message_bar.h"

namespace tst_evaluate_page {

using namespace cospadi;
using namespace cospadi::ui;
namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 60'000;  // milliseconds, for a loaded machine

TaskSample sample(std::int64_t item, std::int64_t chosen, std::int64_t answer) {
    TaskSample s;
    s.item = item;
    s.context = "Question: number " + std::to_string(item) + "\nAnswer:";
    s.continuations = {" one", " <two>"};
    s.logLikelihoods = {chosen == 0 ? -1.0 : -3.0, chosen == 1 ? -1.0 : -3.0};
    s.chosen = chosen;
    s.answer = answer;
    s.acc = chosen == answer ? 1 : 0;
    return s;
}

// A page with an engine of its own, the real one.
struct PageAtWork {
    PageAtWork() { engine.setProgram(EngineClient::defaultProgram()); }

    EngineClient engine;
    TaskQueue queue{&engine};
    DataFetch fetch{&engine};
    MessageBar messages;
    EvaluatePage page{&queue, &fetch, &messages};
};

}  // namespace

class TestEvaluatePage : public QObject, OwnFolder {
    Q_OBJECT

    QString path(const char* name) const { return QString::fromStdString(place(name).string()); }

  private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("cospadi-test"));
        QSettings::setPath(QSettings::defaultFormat(), QSettings::UserScope, m_folder.path());
        qputenv("COSPADI_RUNS", path("runs").toUtf8());
        qputenv("XDG_DATA_HOME", path("data-home").toUtf8());
        fs::create_directories(place("runs"));
        fs::create_directories(place("model"));
        fs::create_directories(place("data"));
        const fs::path arch = COSPADI_TEST_DATA "/arch";
        const fs::path source = fs::exists(arch / "a_llama_gqa")
                                    ? arch / "a_llama_gqa"
                                    : fs::path(COSPADI_SHARED_DIR "/oracle/arch/a_llama_gqa");
        if (!fs::exists(source / "config.json")) {
            QSKIP("reference results are absent: oracle/arch/a_llama_gqa");
        }
        for (const char* file : {"config.json", "model.safetensors"}) {
            fs::copy_file(source / file, place("model") / file);
        }
        fs::copy_file(COSPADI_TEST_DATA "/fuzz/byte_level.json", place("model") / "tokenizer.json");
        std::ofstream piqa(place("data") / "piqa.jsonl");
        for (int i = 0; i < 30; ++i) {
            const QJsonObject record{{"goal", QString("g%1").arg(i)},
                                     {"sol1", QString("a%1").arg(i % 7)},
                                     {"sol2", QString("b%1").arg(i % 5)},
                                     {"label", i % 2}};
            piqa << QJsonDocument(record).toJson(QJsonDocument::Compact).toStdString() << "\n";
        }
    }

    void nothingToEvaluateIsSaid() {
        EngineClient engine;
        TaskQueue queue(&engine);
        DataFetch fetch(&engine);
        MessageBar messages;
        EvaluatePage page(&queue, &fetch, &messages);
        page.show();
        QVERIFY(!page.startButton()->isEnabled());
        QVERIFY(page.startButton()->toolTip().contains("model"));
        QCOMPARE(page.board()->rowCount(), 0);
        page.setModel(path("model"), "small");
        QVERIFY2(page.startButton()->isEnabled(), "samples of piqa and arc_easy ship");
        page.chooseTasks({"piqa", "sciq"});
        QVERIFY(!page.startButton()->isEnabled());
        QVERIFY(page.startButton()->toolTip().contains("sciq"));
        QVERIFY(!page.startButton()->toolTip().contains("piqa"));
        page.setData(path("data"));
        QVERIFY(page.startButton()->isEnabled());
        page.chooseTasks({});
        QVERIFY(!page.startButton()->isEnabled());
        QVERIFY(page.startButton()->toolTip().contains("task"));
    }

    // Without a folder: the samples that ship, and that it was a sample is said.
    void samplesThatShipAreSaidToBeSamples() {
        qputenv("COSPADI_RUNS", path("sampled-runs").toUtf8());  // counted by nobody else
        fs::create_directories(place("sampled-runs"));
        PageAtWork atWork;
        auto& [engine, queue, fetch, messages, page] = atWork;
        page.show();
        page.setModel(path("model"), "small");
        page.setData({});
        page.chooseTasks({"piqa"});
        page.findChild<QSpinBox*>("evaluateLimit")->setValue(3);
        QSignalSpy recorded(&queue, &TaskQueue::recorded);
        QTest::mouseClick(page.startButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(recorded.count(), 1, kPatience);
        QVERIFY2(messages.text().contains("sample") && messages.text().contains("piqa"),
                 qPrintable(messages.text()));
        qputenv("COSPADI_RUNS", path("runs").toUtf8());
    }

    // A Python that stands in for lm-eval's: $2 is the folder.
    void dataSetsAreFetchedThroughTheEngine() {
        const auto python = [this](const char* lines) {
            std::ofstream(place("python")) << "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 0.4.13; "
                                              "echo x; exit 0; fi\n"
                                           << lines;
            fs::permissions(place("python"), fs::perms::owner_all);
        };
        qputenv("COSPADI_LM_EVAL_PYTHON", path("python").toUtf8());
        PageAtWork atWork;
        auto& [engine, queue, fetch, messages, page] = atWork;
        page.show();
        page.setModel(path("model"), "small");
        page.setData({});
        page.chooseTasks({"sciq"});
        QSignalSpy fetched(&fetch, &DataFetch::fetched);
        QSignalSpy failed(&fetch, &DataFetch::failed);
        auto* button = page.findChild<QPushButton*>("evaluateFetch");

        python("echo \"Couldn't reach 'allenai/sciq' on the Hub\"; exit 1\n");
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(button->text().contains("Stop"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QVERIFY2(messages.text().contains("allenai/sciq could not be reached"),
                 qPrintable(messages.text()));
        QVERIFY(!page.startButton()->isEnabled());

        python(
            "echo '{\"question\": \"q\"}' >$2/sciq.jsonl; echo \"fetched sciq 1 "
            "$2/sciq.jsonl\"\n");
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(fetched.count(), 1, kPatience);
        QVERIFY(messages.text().contains("sciq"));
        QVERIFY2(page.startButton()->isEnabled(), "its data is there now");

        python("exec sleep 600\n");
        QTest::mouseClick(button, Qt::LeftButton);
        QTest::mouseClick(button, Qt::LeftButton);  // Stop
        QTRY_VERIFY_WITH_TIMEOUT(!fetch.isActive(), kPatience);
        QCOMPARE(failed.count(), 1);
        qunsetenv("COSPADI_LM_EVAL_PYTHON");
    }

    void tasksRunThroughTheEngine() {
        PageAtWork atWork;
        auto& [engine, queue, fetch, messages, page] = atWork;
        const QAbstractItemModelTester tester(page.board());
        page.resize(1100, 700);
        page.show();
        page.setModel(path("model"), "small");
        page.setData(path("data"));
        page.chooseTasks({"piqa"});
        page.findChild<QSpinBox*>("evaluateLimit")->setValue(20);
        QSignalSpy recorded(&queue, &TaskQueue::recorded);
        QSignalSpy failed(&queue, &TaskQueue::failed);
        QTest::mouseClick(page.startButton(), Qt::LeftButton);
        QCOMPARE(page.board()->rowCount(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(recorded.count(), 1, kPatience);
        QCOMPARE(failed.count(), 0);
        const QString directory = recorded.first().first().toString();
        QVERIFY(fs::exists(directory.toStdString() + "/result.json"));

        page.setRuns(readRunCatalog(currentRunsDirectory()).runs);
        QCOMPARE(page.board()->rowCount(), 1);
        const TaskBoardRow& row = page.board()->at(0);
        QCOMPARE(row.model, QString("dense"));
        QCOMPARE(row.items, 20);
        QVERIFY(page.board()
                    ->index(0, TaskBoardModel::AccuracyColumn)
                    .data()
                    .toString()
                    .contains(QStringLiteral("–")));
        QTRY_COMPARE_WITH_TIMEOUT(page.browser()->model()->rowCount(), 20, kPatience);
        QVERIFY(page.browser()->detail().contains("Question: g0"));

        // The same again is remembered, not computed.
        QTest::mouseClick(page.startButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(recorded.count(), 2, kPatience);
        QVERIFY(queue.jobs().back().lines.front().wasThere);
        engine.stop();
    }

    void whatFailsIsSaidOnThePage() {
        PageAtWork atWork;
        auto& [engine, queue, fetch, messages, page] = atWork;
        page.setModel(path("model"), "small");
        page.setData(path("nowhere"));
        page.show();
        QSignalSpy failed(&queue, &TaskQueue::failed);
        page.start();
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QVERIFY(messages.isVisible());
        QVERIFY2(messages.text().contains("the data of"), qPrintable(messages.text()));
        QVERIFY(!queue.isActive());
        QCOMPARE(queue.jobs().back().state, TaskJob::State::Failed);
        engine.stop();
    }

    // Results that the run or the index could not take stay on the page, and it is said why.
    void whatIsNotRecordedIsSaid() {
        PageAtWork atWork;
        auto& [engine, queue, fetch, messages, page] = atWork;
        useScript(engine,
                  "read -r line; echo '{\"event\":\"task_progress\",\"request\":2,"
                  "\"task\":\"piqa\",\"done\":1,\"total\":4,\"seconds\":30,\"eta_seconds\":90,"
                  "\"items\":1,\"metrics\":[{\"metric\":\"acc\",\"value\":1}]}'\n"
                  "read -r line; echo '{\"id\":2,\"result\":{\"results\":[],\"directory\":\"\","
                  "\"warning\":\"no room on the disk\",\"sampled\":[]}}'; cat > /dev/null");
        page.show();
        TaskJob job;
        job.model = "/models/small";
        job.label = "small";
        job.tasks = QStringList{"piqa"};
        queue.add({job});
        QTRY_COMPARE(queue.jobs().front().etaSeconds, 90.0);
        QSignalSpy unrecorded(&queue, &TaskQueue::unrecorded);
        engine.request("stop_exploring");  // the second line: now it may answer the first
        QTRY_COMPARE(unrecorded.count(), 1);
        QVERIFY2(
            messages.text().contains("small") && messages.text().contains("no room on the disk"),
            qPrintable(messages.text()));
        QCOMPARE(page.board()->rowCount(), 1);
        QCOMPARE(page.board()->at(0).items, 1);
        QCOMPARE(page.board()->at(0).state, QString("done"));
        engine.stop();
    }

    void anEngineThatDiesEndsTheJob() {
        EngineClient engine;
        engine.setProgram(EngineClient::defaultProgram());
        TaskQueue queue(&engine);
        TaskJob job;
        job.model = path("model");
        job.tasks = QStringList{"piqa"};
        job.data = path("data");
        job.again = true;
        QSignalSpy died(&engine, &EngineClient::died);
        connect(&queue, &TaskQueue::changed, &queue, [&] {
            if (queue.isActive() && engine.processId() > 0) {
                ::kill(static_cast<pid_t>(engine.processId()), SIGKILL);
            }
        });
        queue.add({job, job});
        QTRY_VERIFY_WITH_TIMEOUT(died.count() >= 1, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(queue.jobs().front().state, TaskJob::State::Failed, kPatience);
        QVERIFY(queue.jobs().front().problem.contains("engine"));
        queue.disconnect();
        engine.stop();
    }

    // Whatever is read again meanwhile; another model takes the place of the one before.
    void theTickOfTheModelIsTheUsers() {
        PageAtWork atWork;
        auto& page = atWork.page;
        page.show();
        page.setModel("/m/a.gguf", "a");
        auto* models = page.findChild<QListWidget*>("evaluateModels");
        QCOMPARE(models->count(), 1);
        QCOMPARE(models->item(0)->checkState(), Qt::Checked);
        page.setModel("/m/b.gguf", "b");
        QCOMPARE(models->item(0)->checkState(), Qt::Checked);
        models->item(0)->setCheckState(Qt::Unchecked);
        page.setRuns({});
        QCOMPARE(models->item(0)->checkState(), Qt::Unchecked);
    }

    // Runs that differ in their layers alone are called the same.
    void theEvaluationThatIsShownStays() {
        const auto rowOf = [](const char* directory, const char* task) {
            TaskBoardRow row;
            row.model = QStringLiteral("cospadi (fast), CR 0.20");
            row.directory = QString::fromLatin1(directory);
            row.evaluation = QStringLiteral("tasks-1.json");
            row.task = QString::fromLatin1(task);
            row.items = 100;
            return row;
        };
        const auto piqaA = rowOf("/r/a", "piqa");
        const auto piqaB = rowOf("/r/b", "piqa");
        SampleBrowser browser;
        browser.setRows({piqaA, piqaB, rowOf("/r/b", "boolq")});
        const auto* first = browser.findChild<QComboBox*>("sampleFirst");
        const auto* second = browser.findChild<QComboBox*>("sampleSecond");
        browser.showTask(piqaB);
        browser.findChild<QComboBox*>("sampleSecond")->setCurrentIndex(1);
        QCOMPARE(first->currentIndex(), 1);
        browser.setRows({piqaA, piqaB, rowOf("/r/b", "boolq")});
        QCOMPARE(first->currentIndex(), 1);
        QCOMPARE(second->currentIndex(), 1);
        browser.setRows({rowOf("/r/c", "piqa"), piqaB, piqaA, rowOf("/r/b", "boolq")});
        QCOMPARE(first->currentIndex(), 1);
        QCOMPARE(second->currentIndex(), 3);
    }

    void waitingJobsCanBeTakenBack() {
        EngineClient engine;
        engine.setProgram("/bin/cat", {});  // never answers
        TaskQueue queue(&engine);
        TaskJob job;
        job.model = "m";
        job.tasks = QStringList{"piqa", "mmlu"};
        queue.add({job, job});
        QCOMPARE(queue.jobs().size(), 2);
        QCOMPARE(queue.jobs()[0].state, TaskJob::State::Running);
        queue.cancel(queue.jobs()[1].name);
        QCOMPARE(queue.jobs().size(), 1);
        TaskBoardModel board;
        const QAbstractItemModelTester tester(&board);
        board.setJobs(queue.jobs());
        QCOMPARE(board.rowCount(), 2);
        board.setJobs({});
        QCOMPARE(board.rowCount(), 0);
        engine.disconnect();
        engine.stop(100);
    }

    // Wilson's interval, as statsmodels gives it: 10 of 20 is 0.299–0.701, 0 of 3 is 0–0.561.
    void accuraciesHaveHonestIntervals() {
        RunRow run;
        run.status = "finished";
        run.method = "dense";
        for (const auto& [task, value, samples] :
             {std::tuple("piqa", 0.5, 20), std::tuple("sciq", 0.0, 3)}) {
            TaskResultRow row;
            row.task = task;
            row.metric = "acc";
            row.value = value;
            row.samples = samples;
            run.taskResults.push_back(row);
        }
        TaskBoardModel board;
        board.setStored({run});
        const auto shown = [&board](int row) {
            return board.index(row, TaskBoardModel::AccuracyColumn).data().toString();
        };
        QCOMPARE(shown(0), QStringLiteral("0.500 (0.30–0.70)"));
        QCOMPARE(shown(1), QStringLiteral("0.000 (0.00–0.56)"));
    }

    void numbersShareOneWidth() {
        PageAtWork work;
        const auto* table = work.page.findChild<QTableView*>("taskBoard");
        const int width = table->columnWidth(TaskBoardModel::AccuracyColumn);
        for (int column = TaskBoardModel::AccuracyColumn; column <= TaskBoardModel::ItemsColumn;
             ++column) {
            QCOMPARE(table->columnWidth(column), width);
        }
    }

    void commandDoesTheSame() {
        TaskJob job;
        job.model = "/a model";
        job.tasks = QStringList{"piqa", "sciq"};
        job.data = "/data";
        job.limit = 200;
        job.again = true;
        QCOMPARE(taskCommand(job),
                 QString("cospadi evaluate '/a model' --tasks piqa,sciq --data /data --limit 200 "
                         "--again"));
    }

    void flipsAreFoundAndFiltered() {
        SampleTableModel model;
        const QAbstractItemModelTester tester(&model);
        model.setSamples({sample(0, 0, 0), sample(1, 0, 0), sample(2, 1, 0), sample(3, 1, 0)},
                         {sample(0, 0, 0), sample(1, 1, 0), sample(2, 0, 0), sample(3, 1, 0)});
        QCOMPARE(model.rowCount(), 4);
        QVERIFY(model.summary().contains("1 lost, 1 gained, 1 right in both, 1 wrong in both"));
        model.setShow(SampleTableModel::Show::Lost);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, SampleTableModel::ItemColumn).data().toInt(), 1);
        QCOMPARE(model.index(0, SampleTableModel::FirstColumn).data().toString(), QString("✓ A"));
        QCOMPARE(model.index(0, SampleTableModel::SecondColumn).data().toString(), QString("✗ B"));
        model.setShow(SampleTableModel::Show::Flipped);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, SampleTableModel::TextColumn).data().toString(),
                 QString("Question: number 1"));
        model.setSamples({sample(0, 0, 0)}, {});
        model.setShow(SampleTableModel::Show::All);
        QCOMPARE(model.second(0), nullptr);
        QCOMPARE(
            model.headerData(SampleTableModel::ItemColumn, Qt::Horizontal, Qt::TextAlignmentRole)
                .toInt(),
            model.index(0, 0).data(Qt::TextAlignmentRole).toInt());
        QVERIFY(model.first(1) == nullptr);
    }
};

COSPADI_TEST(TestEvaluatePage)

}  // namespace tst_evaluate_page

#include "tst_evaluate_page.moc"
