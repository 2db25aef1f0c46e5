// A sweep on the Runs page as a matrix that fills, over a real store; and how a sweep of the Plan
// page keeps its name.
#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/report/sweep_matrix.h"
#include "core/store/locations.h"
#include "core/store/run_condition.h"
#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/base/theme.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/sources/run_marks.h"
#include "ui/widgets/empty_state.h"

namespace tst_sweep_view {

using namespace cospadi;
using namespace cospadi::ui;
using nlohmann::json;

namespace {

json specificationOf(double cr, double rho) {
    return {{"model", "/m/smol.gguf"},
            {"method", "cospadi"},
            {"solver", "fast"},
            {"layers", ".*"},
            {"cr", cr},
            {"rho", rho},
            {"iterations", 0},
            {"seed", 42}};
}

void writeRun(const std::string& id, double cr, double rho, const json& result,
              const char* sweep = "night") {
    const std::filesystem::path directory = runsDirectory() / id;
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "run.json") << json{{"format", 1},
                                                  {"id", id},
                                                  {"created", "2026-11-21T04:00:00Z"},
                                                  {"specification", specificationOf(cr, rho)}};
    if (!result.is_null()) {
        std::ofstream(directory / "result.json") << result;
    }
    if (*sweep != 0) {
        writeTagOfDirectory(QString::fromStdString(directory.string()),
                            QLatin1String(kSweepTag) + QLatin1String(sweep));
    }
}

// To what a task of lm-eval's came, of a hundred items.
void writeAccuracy(const std::string& id, const char* task, double accuracy) {
    const std::filesystem::path folder = runsDirectory() / id / "evaluations";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / (std::string("lm-eval-") + task + ".json"))
        << json{{"kind", "lm-eval"},
                {"tasks",
                 {{{"task", task},
                   {"version", "1.0"},
                   {"shots", 0},
                   {"samples", 100},
                   {"metrics",
                    {{{"metric", "acc"},
                      {"filter", "none"},
                      {"value", accuracy},
                      {"stderr", 0.01},
                      {"higher_is_better", true}}}}}}}};
}

json finished(double error) {
    return {{"status", "finished"}, {"seconds", 10},           {"bytes", 1e6},
            {"dense_bytes", 2e6},   {"relative_error", error}, {"matrices", json::array()}};
}

}  // namespace

class TestSweepView : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunsPage> m_page;

    QTableView* table() { return m_page->findChild<QTableView*>("sweepMatrix"); }

    QComboBox* box(const char* name) { return childOf<QComboBox>(*m_page, name); }

    // Row after row, with the names of the rows before.
    QStringList lines() {
        QStringList all;
        const QAbstractItemModel* model = table()->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            QStringList line{model->headerData(row, Qt::Vertical).toString()};
            for (int column = 0; column < model->columnCount(); ++column) {
                line << model->index(row, column).data().toString();
            }
            all << line.join('|');
        }
        return all;
    }

    // With COSPADI_SCREENSHOTS=DIR.
    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        for (const bool dark : {false, true}) {
            if (!folder.isEmpty()) {
                applyTheme(*qApp, dark);
                QTest::qWait(200);
                QVERIFY(m_page->grab().save(
                    QStringLiteral("%1/%2-%3.png").arg(folder, name, dark ? "dark" : "light")));
            }
        }
        applyTheme(*qApp);
    }

    void openPage() {
        m_page = std::make_unique<RunsPage>();
        m_page->resize(1200, 760);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        m_page->refresh();
        QComboBox* comparison = box("comparison");
        const int place = comparison->findText("sweep: settings × settings");
        QVERIFY(place >= 0);
        comparison->setCurrentIndex(place);
    }

  private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("COSPADI_RUNS", m_folder->filePath("runs").toUtf8());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder->path());
        QCoreApplication::setOrganizationName("cospadi-test-sweep");
        QSettings().clear();
        applyTheme(*qApp);
    }

    void cleanup() { m_page.reset(); }

    void itFillsAsRunsFinish() {
        writeRun("first", 0.2, 1.5, finished(0.125));
        writeRun("second", 0.3, 1.5, finished(0.25));
        writeRun("broken", 0.2, 2, {{"status", "failed"}, {"message", "no disk left"}});
        writeRun("elsewhere", 0.5, 4, finished(0.5), "");
        openPage();
        RunRow waiting;
        waiting.status = kWaitingStatus;
        waiting.tags = {std::string(kSweepTag) + "night"};
        waiting.specification = specificationOf(0.3, 2).dump();
        RunRow running = waiting;
        running.status = "running";
        running.specification = specificationOf(0.2, 3).dump();
        m_page->setAsked({running, waiting});
        QTRY_COMPARE(lines(),
                     (QStringList{"ρ 1.5|0.125|0.25", "ρ 2|failed|waiting", "ρ 3|running …|–"}));
        QCOMPARE(table()->model()->headerData(1, Qt::Horizontal).toString(), "CR 0.3");
        QVERIFY2(m_page->sweepView()->note().contains("2 of 5 finished"),
                 qPrintable(m_page->sweepView()->note()));
        picture("sweep");
        const auto look = [&](int row, int column) {
            const QModelIndex at = table()->model()->index(row, column);
            return std::pair(at.data(Qt::ForegroundRole).value<QColor>(),
                             at.data(Qt::FontRole).value<QFont>().bold());
        };
        std::set<QRgb> colours;
        for (const auto& [row, column] :
             {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(2, 0)}) {
            colours.insert(look(row, column).first.rgb());
        }
        QCOMPARE(colours.size(), std::size_t{4});  // finished, failed, waiting, running
        QVERIFY(look(0, 0).second && !look(0, 1).second);
        QVERIFY(table()
                    ->model()
                    ->index(1, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains("no disk left"));

        // The one that went on has ended, the one that waited goes on.
        writeRun("third", 0.2, 3, finished(0.0625));
        waiting.status = "running";
        m_page->setAsked({waiting});
        m_page->refresh();
        QTRY_COMPARE(lines(),
                     (QStringList{"ρ 1.5|0.125|0.25", "ρ 2|failed|running …", "ρ 3|0.0625|–"}));
        QVERIFY(look(2, 0).second);

        const QStringList nameless = namelessIn(*m_page);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
        QVERIFY(m_page->sweepView()->exportSource().csv().startsWith(
            "rho,CR 0.2,CR 0.3\nρ 1.5,0.125,0.25\n"));
    }

    // Runs that differ in one setting: rows have no names, and cells begin with what tells them
    // apart.
    void aSweepOfOneSettingTellsIt() {
        writeRun("first", 0.2, 1.5, finished(0.125));
        writeRun("second", 0.2, 2, finished(0.25));
        openPage();
        QTRY_COMPARE(table()->model()->columnCount() * table()->model()->rowCount(), 2);
        const QModelIndex cell = table()->model()->index(0, 0);
        const QString words = cell.data(Qt::AccessibleTextRole).toString();
        QVERIFY2(words.startsWith(QStringLiteral("ρ 1.5: finished")), qPrintable(words));
    }

    void cellsOpenTheirRuns() {
        writeRun("first", 0.2, 2, finished(0.125));
        writeRun("second", 0.3, 3, finished(0.25));
        openPage();
        QTRY_COMPARE(lines(), (QStringList{"ρ 2|0.125|–", "ρ 3|–|0.25"}));
        QSignalSpy opened(m_page.get(), &RunsPage::monitorRequested);
        const auto centre = [&](int row, int column) {
            return table()->visualRect(table()->model()->index(row, column)).center();
        };
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, centre(0, 1));
        QCOMPARE(opened.count(), 0);  // there is no run
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, centre(0, 0));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(),
                 QString::fromStdString((runsDirectory() / "first").string()));
        QVERIFY(opened[0][1].toString().endsWith(" · first"));
        table()->setCurrentIndex(table()->model()->index(1, 1));
        QTest::keyClick(table(), Qt::Key_Return);
        QCOMPARE(opened.count(), 2);
        QVERIFY(opened[1][1].toString().endsWith(" · second"));
    }

    // Settings, value and sweep are chosen, and still are at the next start.
    void whatStandsWhereIsChosen() {
        writeRun("first", 0.2, 2, finished(0.125));
        writeRun("second", 0.3, 3, finished(0.25));
        writeRun("other", 0.4, 2, finished(0.5), "day");
        openPage();
        QTRY_COMPARE(lines(), QStringList{"|0.5"});  // day comes first
        box("sweepName")->setCurrentIndex(box("sweepName")->findData("night"));
        QTRY_COMPARE(lines().size(), 2);
        box("sweepColumns")->setCurrentIndex(box("sweepColumns")->findData("rho"));
        box("sweepMetric")->setCurrentIndex(box("sweepMetric")->findData("status"));
        QTRY_COMPARE(lines(), (QStringList{"CR 0.2|finished|–", "CR 0.3|–|finished"}));
        box("sweepMetric")->setCurrentIndex(box("sweepMetric")->findData("perplexity"));
        QTRY_COMPARE(lines(), (QStringList{"CR 0.2|–|–", "CR 0.3|–|–"}));
        openPage();
        QTRY_COMPARE(lines(), (QStringList{"CR 0.2|–|–", "CR 0.3|–|–"}));
    }

    // As a view and as a figure.
    void whichSweepIsOpenIsSaved() {
        writeRun("first", 0.2, 2, finished(0.125));
        writeRun("second", 0.3, 3, finished(0.25));
        writeRun("other", 0.4, 2, finished(0.5), "day");
        openPage();
        QTRY_VERIFY(box("sweepName")->findData("night") >= 0);
        box("sweepName")->setCurrentIndex(box("sweepName")->findData("night"));
        QTRY_COMPARE(lines().size(), 2);
        box("sweepColumns")->setCurrentIndex(box("sweepColumns")->findData("rho"));
        box("sweepMetric")->setCurrentIndex(box("sweepMetric")->findData("status"));
        const QStringList statuses{"CR 0.2|finished|–", "CR 0.3|–|finished"};
        QTRY_COMPARE(lines(), statuses);
        const std::pair<const char*, QString> menus[] = {{"runsView", "Saved views>"},
                                                         {"figures", {}}};
        const auto entry = [&](const char* button, const QString& path) {
            return entryOf(childOf<QToolButton>(*m_page, button)->menu(), path);
        };
        const auto save = [&](QAction* asks, const char* name) {
            asks->trigger();
            auto* dialog = childOf<QInputDialog>(*m_page, name);
            dialog->setTextValue("the night");
            dialog->accept();
            QTRY_VERIFY(m_page->findChild<QInputDialog*>(name) == nullptr);
        };
        save(entry("runsView", "Saved views>Save this view…"), "viewDialog");
        save(entry("figures", "Save this figure…"), "figureDialog");
        for (const auto& [button, path] : menus) {
            box("sweepName")->setCurrentIndex(box("sweepName")->findData("day"));
            box("sweepMetric")->setCurrentIndex(box("sweepMetric")->findData("error"));
            QTRY_COMPARE(lines(), QStringList{"|0.5"});
            openPage();  // at another start
            QTRY_COMPARE(lines(), QStringList{"|0.5"});
            box("comparison")->setCurrentIndex(0);
            entry(button, path + "the night")->trigger();
            QCOMPARE(box("comparison")->currentText(), "sweep: settings × settings");
            QTRY_COMPARE(lines(), statuses);
        }
        // Of one that is gone nothing is shown that is not there.
        std::filesystem::remove_all(runsDirectory() / "first");
        std::filesystem::remove_all(runsDirectory() / "second");
        openPage();
        QTRY_COMPARE(lines(), QStringList{"|finished"});
        entry("figures", "the night")->trigger();
        QCOMPARE(box("sweepName")->currentData().toString(), "day");
    }

    // What runs of the sweep have, and no more; what comes meanwhile comes into the cells, too.
    void everyMeasuredValueIsOffered() {
        writeRun("first", 0.2, 2, finished(0.125));
        writeRun("second", 0.3, 2, finished(0.25));
        writeRun("other", 0.4, 2, finished(0.5), "day");
        writeAccuracy("first", "piqa", 0.625);
        writeAccuracy("other", "sciq", 0.5);
        openPage();
        QTRY_VERIFY(box("sweepName")->findData("night") >= 0);
        box("sweepName")->setCurrentIndex(box("sweepName")->findData("night"));
        QTRY_VERIFY(box("sweepMetric")->findData("piqa/acc") >= 0);
        const auto offers = [&](const char* name) {
            return box("sweepMetric")->findData(name) >= 0;
        };
        QVERIFY(offers("status") && offers("perplexity") && offers("mean-accuracy"));
        QVERIFY(offers("bytes") && offers("seconds"));
        QVERIFY(!offers("sciq/acc") && !offers("held-out-error"));
        box("sweepMetric")->setCurrentIndex(box("sweepMetric")->findData("piqa/acc"));
        QTRY_COMPARE(lines(), QStringList{"|0.625|–"});
        writeAccuracy("second", "piqa", 0.5);
        m_page->refresh();
        QTRY_COMPARE(lines(), QStringList{"|0.625|0.5"});
        // Where a sweep has none of it, it stays chosen, also at the next start.
        box("sweepName")->setCurrentIndex(box("sweepName")->findData("day"));
        QTRY_COMPARE(lines(), QStringList{"|–"});
        QCOMPARE(box("sweepMetric")->currentData().toString(), "piqa/acc");
        openPage();
        QTRY_COMPARE(lines(), QStringList{"|–"});
        QCOMPARE(box("sweepMetric")->currentData().toString(), "piqa/acc");
        QVERIFY(box("sweepMetric")->findData("sciq/acc") >= 0);
    }

    void withoutASweepItSaysHowToHaveOne() {
        writeRun("alone", 0.2, 2, finished(0.125), "");
        openPage();
        auto* empty = table()->findChild<EmptyState*>();
        QVERIFY(empty != nullptr && empty->isVisible());
        QVERIFY(empty->text().contains("--name NAME"));
    }

    // A grid of the Plan page takes its name along, also into the next start of the window.
    void aPlanKeepsItsName() {
        PlanPanel panel;
        RunSpecification plan;
        panel.setSpecification(plan, {"0.2 0.3", {}, {}, {}, "night"});
        QCOMPARE(panel.sweep().name, "night");
        QCOMPARE(panel.jobs().size(), 2);
        QCOMPARE(panel.jobs()[1].sweep, "night");
        panel.setSpecification(plan, {{}, {}, {}, {}, "night"});
        QCOMPARE(panel.jobs()[0].sweep, QString());  // one run is no sweep

        panel.setSpecification(plan, {"0.2 0.3", {}, {}, {}, "night"});
        EngineClient engine;
        RunController run(&engine);
        RunQueue queue(&run);
        queue.setHeld(true);
        queue.add(panel.jobs());
        RunQueue next(&run);
        next.restore(queue.waitingAsText());
        QCOMPARE(next.jobs().size(), 2);
        QCOMPARE(next.jobs()[0].sweep, "night");
        QCOMPARE(next.jobs()[1].specification.cr, 0.3);
    }
};

COSPADI_TEST(TestSweepView)

}  // namespace tst_sweep_view

#include "tst_sweep_view.moc"
