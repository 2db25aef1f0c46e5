// Bad input and faults as a user of the window meets them: a message in words where it happened,
// the rest of the window at work, nothing lost.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTreeView>
#include <clocale>

#include "core/store/locations.h"
#include "tests/core/own_mounts.h"
#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_window_faults {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

void write(const QString& path, const QByteArray& bytes) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(bytes), bytes.size());
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestWindowFaults : public QObject, WindowFixture {
    Q_OBJECT

    QString runs() const { return QString::fromStdString(runsDirectory().string()); }
    QString message() const {
        return m_window->pages().messages->isVisible() ? m_window->pages().messages->text()
                                                       : QString();
    }

    // A run of the small model, to its end; its directory.
    QString finishedRun() {
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        m_window->pages().plan->setSpecification(planOf(0));
        m_window->plannedRuns()->start();
        const bool ended = finished.count() == 1 || finished.wait(60000);
        const QString status = ended ? finished[0][0].toString() : message();
        return status == "finished" ? m_window->services().run->directory() : QString();
    }

    void openWithoutModel() {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
    }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // ---- models

    void corruptModels_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("not a GGUF") << "noise.gguf" << QByteArray(4096, 'x') << "GGUF";
        QTest::newRow("empty") << "empty.gguf" << QByteArray() << "empty.gguf";
        QByteArray header("GGUF\x03\x00\x00\x00", 8);
        header += QByteArray(16, '\xff');  // 2⁶⁴ − 1 tensors and entries
        QTest::newRow("counts that overflow") << "counts.gguf" << header << "counts.gguf";
    }

    void corruptModels() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const QString path = m_home.filePath(name);
        write(path, bytes);
        openWithoutModel();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(path);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(!loaded[0][0].toBool());
        const QString words = m_window->findChild<QLabel*>("missingModel")->text();
        QVERIFY2(words.contains(says) && words.contains(name), qPrintable(words));
        QVERIFY(!buttonOf(*m_window->pages().runBar, "Run")->isEnabled());
        m_window->openModel()->load(kSmallModel);  // the window goes on
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY(loaded[1][0].toBool());
        QVERIFY(buttonOf(*m_window->pages().runBar, "Run")->isEnabled());
    }

    void truncatedShard() {
        const QString folder = m_home.filePath("cut");
        QDir().mkpath(folder);
        QVERIFY(QFile::copy(kSmallModel + "/config.json", folder + "/config.json"));
        const QByteArray whole = contentOf(kSmallModel + "/model.safetensors");
        write(folder + "/model.safetensors", whole.left(whole.size() / 2));
        openWithoutModel();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(folder);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(!loaded[0][0].toBool());
        QVERIFY(m_window->findChild<QLabel*>("missingModel")->text().contains("model.safetensors"));
    }

    void aRunThatIsGoneIsNotOpened() {
        emit m_window->pages().runs->monitorRequested(m_home.filePath("gone"), "the lost one");
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().monitor);
        QTRY_VERIFY2(message().contains("the lost one"), qPrintable(message()));
        QVERIFY(message().contains("no longer exists"));
    }

    void aBadFileLeavesTheGoodModel() {
        const QString path = m_home.filePath("bad.gguf");
        write(path, QByteArray(4096, 'x'));
        m_window->pages().model->selectByRegex("ffn_up");
        m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
        const QString title = m_window->windowTitle();
        const QString command = m_window->pages().runBar->command();
        const int ticked = m_window->pages().model->tree()->checkedCount();
        QVERIFY(command.contains(kSmallModel) && command.contains("ffn_up") && ticked > 0);
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(path);
        QVERIFY(buttonOf(*m_window->pages().model, "Reading …") != nullptr);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(!loaded[0][0].toBool());
        QVERIFY2(message().contains("bad.gguf") && message().contains("still open"),
                 qPrintable(message()));
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QCOMPARE(m_window->windowTitle(), title);
        QCOMPARE(m_window->pages().runBar->command(), command);
        QCOMPARE(m_window->pages().model->tree()->checkedCount(), ticked);
        QVERIFY(buttonOf(*m_window->pages().runBar, "Run")->isEnabled());
        m_window->pages().tabs->setCurrentIndex(0);
        QVERIFY(m_window->findChild<QTreeView*>("layerTree")->isVisible());
        QVERIFY(buttonOf(*m_window->pages().model, "Open") != nullptr);
        QVERIFY(!m_window->pages().explore->specification().layers.empty());
        m_window->openModel()->load(kSmallModel);
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY2(!message().contains("bad.gguf"), qPrintable(message()));
    }

    // ---- what was stored

    void aBrokenRunIsNamedAndTheOthersAreListed() {
        const QString good = finishedRun();
        QVERIFY2(!good.isEmpty(), qPrintable(message()));
        write(runs() + "/broken/run.json", "{\"format\": 1, \"id\": ");
        m_window->pages().runs->refresh();
        QTRY_VERIFY2(message().contains("broken"), qPrintable(message()));
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 1);
        QCOMPARE(QString::fromStdString(m_window->pages().runs->model()->run(0).directory), good);
    }

    void aBrokenMatrixIsNamedOnItsPage() {
        const QString run = finishedRun();
        QVERIFY(!run.isEmpty());
        QTRY_VERIFY(!m_window->pages().pattern->view()->isEmpty());
        const QString file = run + "/matrices/blk.0.attn_q.safetensors";
        const QByteArray whole = contentOf(file);
        write(file, whole.left(whole.size() - 100));
        auto* matrices = m_window->pages().pattern->findChild<QComboBox*>("patternMatrix");
        matrices->setCurrentText("blk.0.attn_k");
        QTRY_VERIFY(!m_window->pages().pattern->view()->isEmpty());
        matrices->setCurrentText("blk.0.attn_q");
        QTRY_VERIFY(m_window->pages().pattern->view()->isEmpty());
        bool named = false;
        for (const QLabel* label : m_window->pages().pattern->findChildren<QLabel*>()) {
            named = named || label->text().contains("blk.0.attn_q.safetensors");
        }
        QVERIFY(named);
        matrices->setCurrentText("blk.0.attn_v");
        QTRY_VERIFY(!m_window->pages().pattern->view()->isEmpty());
    }

    void aDamagedIndexIsNamedAndRunsAreMadeAllTheSame() {
        const QString first = finishedRun();
        QVERIFY(!first.isEmpty());
        const QString store = QString::fromStdString(storePath().string());
        m_window.reset();
        QThreadPool::globalInstance()->waitForDone();  // nobody has the index open any more
        QFile::remove(store + "-wal");
        write(store, QByteArray(8192, 'x'));
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY2(message().contains("damaged or not an SQLite file"), qPrintable(message()));
        QVERIFY(message().contains("cospadi.sqlite"));
        // The run itself works, and its directory is whole.
        m_window->pages().plan->setSpecification(planOf(0));
        m_window->plannedRuns()->start();
        QTRY_VERIFY_WITH_TIMEOUT(
            QFileInfo::exists(m_window->services().run->directory() + "/result.json"), 60000);
        QTRY_VERIFY(!m_window->services().run->isActive());
        QCOMPARE(contentOf(store), QByteArray(8192, 'x'));  // nothing was written over
        // Without the damaged file the index comes back from the directories.
        QVERIFY(QFile::remove(store));
        m_window->pages().runs->refresh();
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 2);
    }

    // ---- a full disk, under the engine's feet

    void aFullDisk() {
        const QStringList mounts = ownMounts();
        if (mounts.isEmpty()) {
            QSKIP("no file system may be mounted here (unshare -m, tmpfs)");
        }
        const QString engine = m_window->services().engine->program();
        QDir().mkpath(runs());
        m_window->services().engine->setProgram(
            "unshare", mounts + QStringList{"sh", "-c",
                                            QString("mount -t tmpfs -o size=64k none '%1' && "
                                                    "dd if=/dev/zero of='%1/filler' bs=4096 "
                                                    "2>/dev/null; exec '%2' engine")
                                                .arg(runs(), engine)});
        m_window->pages().plan->setSpecification(planOf(0));
        m_window->plannedRuns()->start();
        QTRY_VERIFY_WITH_TIMEOUT(message().contains("No space left on device"), 30000);
        QVERIFY2(message().contains("free some disk space"), qPrintable(message()));
        QVERIFY(!m_window->services().run->isActive());
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(engine);
        QVERIFY2(!finishedRun().isEmpty(), qPrintable(message()));  // after room was made
    }

    // ---- a locale with a decimal comma

    void decimalComma() {
        // The C library's as well, as an application of a German desktop has it.
        QProcess localedef;
        localedef.start("localedef",
                        {"-i", "de_DE", "-f", "UTF-8", m_home.filePath("de_DE.UTF-8")});
        localedef.waitForFinished();
        qputenv("LOCPATH", m_home.path().toUtf8());
        const QByteArray before = setlocale(LC_ALL, nullptr);
        const bool ofTheLibrary = setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
        if (ofTheLibrary) {
            QCOMPARE(QString::asprintf("%s", localeconv()->decimal_point), QString(","));
        }
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        m_window = openWindow();
        auto* cr = m_window->findChild<QWidget*>("cr")->findChild<QDoubleSpinBox*>();
        m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
        m_window->pages().plan->setSpecification(planOf(0));
        cr->setFocus();
        cr->selectAll();
        QTest::keyClicks(cr, "0,25");
        QTest::keyClick(cr, Qt::Key_Return);
        QCOMPARE(cr->value(), 0.25);
        QVERIFY(cr->text().contains("0,25"));
        QVERIFY2(m_window->pages().runBar->command().contains("--cr 0.25"),
                 qPrintable(m_window->pages().runBar->command()));
        for (const char* list : {"0,2 0,3", "0.2 0.3", "0,2, 0,3", "0.2,0.3", "0,2:0,3:0,1"}) {
            m_window->findChild<QLineEdit*>("sweepCr")->setText(list);
            QCOMPARE(m_window->pages().plan->jobs().size(), 2);
            QCOMPARE(m_window->pages().plan->jobs()[1].specification.cr, 0.3);
        }
        m_window->findChild<QLineEdit*>("sweepCr")->clear();
        m_window->findChild<QLineEdit*>("sweepSeed")->setText("1,2,3");
        QCOMPARE(m_window->pages().plan->jobs().size(), 3);
        m_window->findChild<QLineEdit*>("sweepSeed")->clear();

        QVERIFY2(!finishedRun().isEmpty(), qPrintable(message()));
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 1);
        QTRY_COMPARE(m_window->pages().runs->model()->run(0).status, std::string("finished"));
        const RunRow run = m_window->pages().runs->model()->run(0);
        QCOMPARE(run.cr, 0.2);
        QVERIFY(run.relativeError > 0.01 && run.relativeError < 1);
        const QString csv = m_window->pages().monitor->errorChart()->exportSource("errors").csv();
        static const QRegularExpression quoted("\"[^\"]*\"");
        const QStringList lines = QString(csv).remove(quoted).split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines.size() > 2);
        const auto columns = lines.first().split(',').size();
        for (const QString& line : lines) {
            // A decimal comma would make more.
            QVERIFY2(line.split(',').size() == columns, qPrintable(lines.first() + '\n' + line));
        }
        bool isNumber = false;
        const double error = lines.last().split(',')[2].toDouble(&isNumber);
        QVERIFY2(isNumber && error > 0 && error < 1, qPrintable(lines.last()));
        setlocale(LC_ALL, before.constData());
        QLocale::setDefault(QLocale::system());
        if (!ofTheLibrary) {
            QSKIP("Qt's locale was checked; the C library's could not be made (localedef)");
        }
    }
};

COSPADI_TEST(TestWindowFaults)

}  // namespace tst_window_faults

#include "tst_window_faults.moc"
