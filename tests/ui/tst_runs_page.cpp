// The Runs page as a whole, over a real store: names of its widgets, what is asked of selected runs
// by buttons and menus, and a store that is damaged.
#include <QClipboard>
#include <QColorDialog>
#include <QComboBox>
#include <QDesktopServices>
#include <QElapsedTimer>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "core/store/locations.h"
#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/models/run_looks.h"
#include "ui/pages/runs/run_actions.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_runs_page {

using namespace cospadi;
using namespace cospadi::ui;

// In the place of the desktop's file manager.
class FolderOpener : public QObject {
    Q_OBJECT

  public:
    FolderOpener() { QDesktopServices::setUrlHandler("file", this, "open"); }
    ~FolderOpener() override { QDesktopServices::unsetUrlHandler("file"); }
    QList<QUrl> opened;

  public slots:
    void open(const QUrl& url) { opened << url; }
};

class TestRunsPage : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

    void everyWidgetHasAName() {
        compare("ablation: a value over a setting");
        const QStringList nameless = namelessIn(*m_page);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    // As many as are selected, without those that never ended.
    void perplexityOfMany() {
        auto* measure = find<QPushButton>("measurePerplexity");
        QSignalSpy asked(m_page.get(), &RunsPage::evaluationRequested);
        m_page->list()->select({});
        QVERIFY(!measure->isEnabled());
        m_page->list()->select({"llm-2", "llm--3", "ours---2"});
        QVERIFY(measure->isEnabled());
        QTest::mouseClick(measure, Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        std::set<std::string> ids;
        for (const RunRow& run : asked[0][0].value<std::vector<RunRow>>()) {
            ids.insert(run.id);
        }
        QCOMPARE(ids, (std::set<std::string>{"llm-2", "llm--3", "ours---2"}));
    }

    // Ratios of single matrices stand in the run's file; what was made of another run is made of
    // that one again.
    void theCommandIsThatOfTheRun() {
        RunActions actions(m_page.get());
        const auto runOf = [](const char* id, const char* more) {
            RunRow run;
            run.id = id;
            run.directory = std::string("/runs/") + id;
            run.specification = std::string(R"({"method": "cospadi", )") + more + "}";
            return run;
        };
        const auto copied = [&](const std::vector<RunRow>& runs) {
            QMenu menu;
            actions.fill(&menu, runs);
            pick(&menu, runs.size() == 1 ? "Copy command" : "Copy commands");
            return QGuiApplication::clipboard()->text();
        };
        QVERIFY(copied({runOf("whole", R"("ratios": {"blk.0.attn_q": 0.3})")})
                    .endsWith(" --ratios /runs/whole/run.json"));
        const RunRow slice = runOf("part", R"("layers": "ffn_up", "derived":
            {"from": "whole", "slice_of": ".*"})");
        QCOMPARE(copied({slice}), "cospadi runs slice whole --layers ffn_up");
        QCOMPARE(copied({runOf("short", R"("derived": {"from": "whole", "coefficient_bits": 12,
                                                       "rounding": "nearest"})")}),
                 "cospadi requantize whole --coefficient-bits 12 --rounding nearest");
        // Of both, which came last only the other run tells.
        const RunRow both = runOf("both", R"("layers": "ffn_up", "derived": {"from": "part",
            "slice_of": ".*", "coefficient_bits": 12, "rounding": "truncate"})");
        QCOMPARE(copied({both, slice}).split('\n').first(),
                 "cospadi requantize part --coefficient-bits 12 --rounding truncate");
        QMenu menu;
        actions.fill(&menu, {both});
        for (const QAction* action : menu.actions()) {
            QVERIFY(action->text() != "Copy command" || !action->isEnabled());
        }
    }

    void theMenuOfRuns() {
        m_page->list()->select({"llm-2"});
        QSignalSpy planned(m_page.get(), &RunsPage::planRequested);
        pick(runMenu(), "Use as plan");
        QCOMPARE(planned.count(), 1);
        pick(runMenu(), "Copy ID");
        QCOMPARE(QGuiApplication::clipboard()->text(), "llm-2");
        pick(runMenu(), "Copy command");
        QVERIFY(QGuiApplication::clipboard()->text().contains("--method svd-llm"));
        m_page->list()->select({"llm-2", "llm--3"});
        pick(runMenu(), "Compare errors");
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "error by matrix");
        pick(runMenu(), "Copy IDs");
        QCOMPARE(QGuiApplication::clipboard()->text().split('\n').size(), 2);

        // Only after a word, with all files.
        writeRun("to-delete", "svd", 0.2, 2, 0.5, 0.5);
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 6);
        m_page->list()->select({"to-delete"});
        pick(runMenu(), "Delete…");
        auto* question = m_page->findChild<QMessageBox*>("deletionQuestion");
        QVERIFY(question != nullptr);
        question->reject();
        QVERIFY(std::filesystem::exists(runsDirectory() / "to-delete" / "run.json"));
        QTRY_VERIFY(m_page->findChild<QMessageBox*>("deletionQuestion") == nullptr);
        pick(runMenu(), "Delete…");
        question = m_page->findChild<QMessageBox*>("deletionQuestion");
        for (QAbstractButton* button : question->buttons()) {
            if (button->text() == "Delete") {
                button->click();
            }
        }
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
        QVERIFY(!std::filesystem::exists(runsDirectory() / "to-delete"));
    }

    // Of a run that was cancelled after its first matrix.
    void theMenuOfOneRun() {
        const auto offers = [this](const QString& words) {
            QMenu* menu = runMenu();
            bool is = false;
            for (const QAction* action : menu->actions()) {
                is = is || (action->text() == words && action->isEnabled());
            }
            menu->close();
            return is;
        };
        m_page->list()->select({"llm-2"});
        QVERIFY(!offers("Open in Monitor"));  // no matrix is known of it
        QVERIFY(!offers("Resume"));           // it is finished
        RunRow atWork;
        for (const char* status : {"running", "paused"}) {
            atWork.status = status;
            QVERIFY(!canBeResumed(atWork));
        }
        writeRun("stopped", "cospadi", 0.2, 2, 0.1, 0.6);
        std::ofstream(runsDirectory() / "stopped" / "result.json") << nlohmann::json{
            {"status", "cancelled"},
            {"seconds", 10},
            {"matrices", nlohmann::json::array({nlohmann::json{{"name", "blk.0.attn_q"}}})}};
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 6);
        m_page->list()->select({"stopped"});
        const QString directory = QString::fromStdString(m_page->selectedRuns().front().directory);
        QVERIFY(directory.endsWith("/stopped"));

        QSignalSpy watched(m_page.get(), &RunsPage::monitorRequested);
        pick(runMenu(), "Open in Monitor");
        QCOMPARE(watched.count(), 1);
        QCOMPARE(watched[0][0].toString(), directory);
        QVERIFY2(watched[0][1].toString().contains("cospadi"),
                 qPrintable(watched[0][1].toString()));
        QSignalSpy shown(m_page.get(), &RunsPage::patternRequested);
        pick(runMenu(), "Show pattern");
        QCOMPARE(shown.count(), 1);
        QCOMPARE(shown[0][0].toString(), directory);
        QSignalSpy resumed(m_page.get(), &RunsPage::resumeRequested);
        pick(runMenu(), "Resume");
        QCOMPARE(resumed.count(), 1);
        QCOMPARE(resumed[0][0].value<RunRow>().id, "stopped");
        FolderOpener desktop;
        pick(runMenu(), "Open folder");
        QCOMPARE(desktop.opened, QList<QUrl>{QUrl::fromLocalFile(directory)});

        QVERIFY(!offers("Reset colour"));
        pick(runMenu(), "Colour…");
        auto* colours = m_page->findChild<QColorDialog*>("colourDialog");
        QVERIFY(colours != nullptr);
        colours->setCurrentColor(QColor("#123456"));
        colours->reject();
        QVERIFY(!ownColour("stopped"));
        QTRY_VERIFY(m_page->findChild<QColorDialog*>("colourDialog") == nullptr);
        pick(runMenu(), "Colour…");
        colours = m_page->findChild<QColorDialog*>("colourDialog");
        QVERIFY(colours != nullptr);
        colours->setCurrentColor(QColor("#123456"));
        colours->accept();
        QCOMPARE(ownColour("stopped"), std::optional(QColor("#123456")));
        QTRY_VERIFY(m_page->findChild<QColorDialog*>("colourDialog") == nullptr);
        pick(runMenu(), "Reset colour");
        QVERIFY(!ownColour("stopped"));

        std::filesystem::remove_all(runsDirectory() / "stopped");
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
    }

    // The commands of many runs are worked out when they are wanted, not for the menu.
    void theMenuOfVeryManyRuns() {
        RunRow run;
        run.status = "finished";
        run.specification = toJson(RunSpecification()).dump();
        std::vector<RunRow> runs(10'000, run);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].id = "run-" + std::to_string(i);
        }
        RunActions actions(m_page.get());
        const auto nanoseconds = [](const auto& work) {
            QElapsedTimer clock;
            clock.start();
            work();
            return clock.nsecsElapsed();
        };
        std::unique_ptr<QMenu> menu;
        qint64 opening = std::numeric_limits<qint64>::max();
        for (int i = 0; i < 3; ++i) {  // others work here, too
            menu = std::make_unique<QMenu>();
            opening = std::min(opening, nanoseconds([&] { actions.fill(menu.get(), runs); }));
        }
        const qint64 copying = nanoseconds([&] { pick(menu.get(), "Copy commands"); });
        QCOMPARE(QGuiApplication::clipboard()->text().count('\n'), 9'999);
        QVERIFY2(opening < copying / 4,
                 qPrintable(QString("%1 of %2 ns").arg(opening).arg(copying)));
    }

    // Last: the store is gone after it.
    void aDamagedStoreIsNamed() {
        QFile file(QString::fromStdString(storePath().string()));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("no database at all, and long enough to be looked at");
        file.close();
        for (const char* other : {"-wal", "-shm"}) {
            QFile::remove(file.fileName() + other);
        }
        QSignalSpy problems(m_page.get(), &RunsPage::problem);
        m_page->list()->select({"dense"});
        entry("runsMark", "Star")->trigger();
        QTRY_VERIFY(!problems.isEmpty());
        QVERIFY2(problems[0][1].toString().contains("cospadi.sqlite"),
                 qPrintable(problems[0][1].toString()));
        QCOMPARE(m_page->model()->rowCount(), 5);  // what was read stays
    }
};

COSPADI_TEST(TestRunsPage)

}  // namespace tst_runs_page

#include "tst_runs_page.moc"
