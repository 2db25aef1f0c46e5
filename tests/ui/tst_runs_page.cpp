// The Runs page as a whole, over a real store: names of its widgets, what is asked of selected runs
// by buttons and menus, and a store that is damaged.
#include <QClipboard>
#include <QComboBox>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>
#include <filesystem>
#include <set>

#include "core/store/locations.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_runs_page {

using namespace cospadi;
using namespace cospadi::ui;

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

    void theMenuOfRuns() {
        m_page->list()->select({"llm-2"});
        QSignalSpy planned(m_page.get(), &RunsPage::planRequested);
        pick(runMenu(), "Plan from it");
        QCOMPARE(planned.count(), 1);
        pick(runMenu(), "Copy its id");
        QCOMPARE(QGuiApplication::clipboard()->text(), "llm-2");
        pick(runMenu(), "Copy its command");
        QVERIFY(QGuiApplication::clipboard()->text().contains("--method svd-llm"));
        m_page->list()->select({"llm-2", "llm--3"});
        pick(runMenu(), "Compare their errors");
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "error by matrix");
        pick(runMenu(), "Copy their ids");
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
