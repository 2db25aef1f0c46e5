// The charts of the Runs page: any value over any setting, the paper's results over it, saved
// figures, and which files are read for what is drawn. Published numbers were read off the paper's
// Table 3.
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>
#include <filesystem>

#include "core/report/figure_design.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/registered_test.h"
#include "tests/ui/runs_page_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/shared_legend.h"
#include "ui/charts/small_multiples.h"
#include "ui/pages/runs/error_maps.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_runs_comparison {

using namespace cospadi;
using namespace cospadi::ui;

class TestRunsComparison : public QObject, RunsPageFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { writeRuns(); }
    void init() { openPage(); }

    void thePaperOverTheChart() {
        compare("ablation: a value over a setting");
        m_page->selectAll();
        choose("ablationX", "cr");
        QTRY_VERIFY(!find<QToolButton>("paperResults")->isEnabled());  // perplexity of tokens: none
        choose("comparisonMetric", "piqa/acc_norm");
        // dense, svd-llm, and cospadi at two ρ, which no line joins
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 4);
        QAction* overlay = nullptr;
        for (QAction* action : find<QToolButton>("paperResults")->menu()->actions()) {
            overlay = action->text() == "Llama-3-8B (table 3)" ? action : overlay;
        }
        QVERIFY(overlay != nullptr);
        overlay->trigger();
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 6);
        for (const Curve& curve : m_page->comparisonChart()->curves()) {
            if (curve.name == "CoSpaDi, Llama-3-8B (paper, table 3)") {
                QCOMPARE(curve.points.size(), 3);
                QCOMPARE(curve.points[0], QPointF(0.2, 0.752));
                QCOMPARE(curve.points[2], QPointF(0.4, 0.637));
            }
        }
        QVERIFY(m_page->comparisonChart()->csv().contains("paper, table 3"));
        picture("runs-paper");
    }

    // Until somebody chooses, what was measured stands over what the runs differ in.
    void anAblationBeginsWithSomethingToSee() {
        QSettings().remove("runs/plot");
        init();
        m_page->list()->select({"ours---2", "ours-2rho"});
        compare("ablation: a value over a setting");
        const auto chosen = [this](const char* name) {
            return find<QComboBox>(name)->currentData().toString();
        };
        QTRY_COMPARE(chosen("ablationX"), "rho");
        QCOMPARE(chosen("comparisonMetric"), "error");  // no perplexity was measured
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 1);
        // The choice is nobody's yet: others begin with what they differ in.
        m_page->list()->select({"llm-2", "llm--3"});
        QTRY_COMPARE(chosen("ablationX"), "cr");
        choose("ablationX", "bytes");
        m_page->list()->select({"ours---2", "ours-2rho"});
        QTest::qWait(50);
        QCOMPARE(chosen("ablationX"), "bytes");
        choose("ablationX", "cr");
    }

    // Of the runs that are selected or of all on show.
    void anyValueOverAnySetting() {
        compare("ablation: a value over a setting");
        m_page->list()->select({});
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        const auto drawn = [&] {
            QList<QList<QPointF>> lines;
            for (const Curve& curve : m_page->comparisonChart()->curves()) {
                lines << curve.points;
            }
            return lines;
        };
        QTRY_COMPARE(drawn(), (QList<QList<QPointF>>{{{1.5, 0.12}, {2, 0.11}}}));
        // What the error is an error of, and of nothing else.
        QVERIFY(m_page->comparisonChart()->toolTip().contains("‖"));
        choose("comparisonMetric", "bytes");
        QTRY_COMPARE(m_page->comparisonChart()->toolTip(), QString());
        choose("comparisonMetric", "error");
        QTRY_COMPARE(drawn(), (QList<QList<QPointF>>{{{1.5, 0.12}, {2, 0.11}}}));
        choose("ablationX", "cr");
        choose("ablationCurve", "rho");
        QTRY_COMPARE(m_page->comparisonChart()->curves().size(), 3);
        QStringList names;
        for (const Curve& curve : m_page->comparisonChart()->curves()) {
            names << curve.name;
        }
        QCOMPARE(names,
                 (QStringList{"no rho, svd-llm", "ρ 1.5, cospadi (fast)", "ρ 2, cospadi (fast)"}));
        picture("ablation");
        // Beside each other, with the same axes.
        choose("ablationFacet", "method");
        auto* plots = m_page->findChild<SmallMultiples*>();
        QTRY_COMPARE(plots->charts().size(), 2);
        QVERIFY(plots->isVisible());
        QVERIFY(plots->csv().startsWith("plot,curve,"));
        // To readers, too.
        const QString named = plots->findChild<SharedLegend*>()->accessibleDescription();
        for (const Curve& curve : plots->charts()[0]->curves()) {
            QVERIFY2(named.contains(curve.name), qPrintable(named));
        }
        QVERIFY(!named.isEmpty());
        QVERIFY(plots->csv().contains("svd-llm,no rho,0.2"));
        find<QCheckBox>("ablationLogX")->setChecked(true);
        QTRY_VERIFY(plots->charts()[0]->isLogarithmicX());
        picture("ablation-plots");
        // All of it is there at the next start, and none of it does harm where no run has it.
        init();
        compare("ablation: a value over a setting");
        QCOMPARE(find<QComboBox>("ablationFacet")->currentData().toString(), "method");
        QVERIFY(find<QCheckBox>("ablationLogX")->isChecked());
        find<QCheckBox>("ablationLogX")->setChecked(false);
        choose("ablationFacet", "");
        choose("ablationCurve", "");
    }

    void figuresKeepTheAxesOfParallelCoordinates() {
        compare("parallel coordinates");
        const QStringList usual = parallelAxes();
        const int last = static_cast<int>(usual.size()) - 1;
        QVERIFY(last > 0);
        emit m_page->parallelView()->axisMoved(last, 0);
        choose("parallelColour", "error");
        saveAs(entry("figures", "Save this figure…"), "figureDialog", "lines");
        emit m_page->parallelView()->axisMoved(0, last);
        choose("parallelColour", "");
        QCOMPARE(parallelAxes(), usual);
        compare("error by matrix");
        init();
        entry("figures", "lines")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "parallel coordinates");
        QCOMPARE(parallelAxes().first(), usual.last());
        QCOMPARE(find<QComboBox>("parallelColour")->currentData().toString(), "error");
        entry("figures", "Forget>lines")->trigger();
        choose("parallelColour", "");
    }

    // Drawn again from the runs there are then, also at another start.
    void figuresAreSavedAndDrawnAgain() {
        find<QLineEdit>("runsFilter")->setText("method=cospadi");
        m_page->list()->select({});
        compare("ablation: a value over a setting");
        choose("comparisonMetric", "error");
        choose("ablationX", "rho");
        choose("ablationCurve", "");
        const auto save = [&](const QString& name) {
            saveAs(entry("figures", "Save this figure…"), "figureDialog", name);
        };
        save("error over ρ");
        find<QLineEdit>("runsFilter")->clear();
        m_page->list()->select({"dense", "llm-2"});
        compare("error by matrix");
        save("both");
        choose("ablationX", "cr");
        writeRun("ours-3rho", "cospadi", 0.2, 3, 0.10, 0.67);
        init();
        entry("figures", "error over ρ")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "ablation: a value over a setting");
        QCOMPARE(find<QLineEdit>("runsFilter")->text(), "method=cospadi");
        const auto drawn = [&] {
            QList<QList<QPointF>> lines;
            for (const Curve& curve : m_page->comparisonChart()->curves()) {
                lines << curve.points;
            }
            return lines;
        };
        QTRY_COMPARE(drawn(), (QList<QList<QPointF>>{{{1.5, 0.12}, {2, 0.11}, {3, 0.10}}}));
        entry("figures", "both")->trigger();
        QCOMPARE(find<QComboBox>("comparison")->currentText(), "error by matrix");
        QCOMPARE(m_page->selectedRuns().size(), std::size_t{2});
        entry("figures", "Forget>both")->trigger();
        QCOMPARE(savedFigures(savedFiguresPath()).size(), std::size_t{1});

        // A damaged file is named, and nothing else happens.
        QFile file(QString::fromStdString(savedFiguresPath().string()));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("[]");
        file.close();
        QSignalSpy problems(m_page.get(), &RunsPage::problem);
        entry("figures", "Save this figure…");
        QVERIFY(!problems.isEmpty());
        QVERIFY(problems[0][1].toString().contains("figures.json"));
        QVERIFY(file.remove());
        find<QLineEdit>("runsFilter")->clear();
        choose("ablationX", "cr");
        std::filesystem::remove_all(runsDirectory() / "ours-3rho");
        m_page->refresh();
        QTRY_COMPARE(m_page->model()->rowCount(), 5);
    }

    // What the filter has no terms for: the runs that `report --saved` draws, too.
    void figuresOfStarredAndOfNewestRunsDrawThese() {
        FigureDesign starred;
        starred.name = "starred";
        starred.axes = {"cr", "error", "", ""};
        starred.runs.filter.starredOnly = true;
        FigureDesign newest = starred;
        newest.name = "newest";
        newest.runs.filter = {};
        newest.runs.filter.limit = 1;
        newest.runs.filter.method = "svd-llm";
        saveFigure(savedFiguresPath(), starred);
        saveFigure(savedFiguresPath(), newest);
        RunStore::open(storePath()).star("ours-2rho");
        const auto passing = [&] {
            QStringList ids;
            for (const RunRow& run : m_page->list()->passing()) {
                ids << QString::fromStdString(run.id);
            }
            ids.sort();
            return ids;
        };
        entry("figures", "newest")->trigger();
        QTRY_COMPARE(passing(), QStringList{"llm--3"});
        entry("figures", "starred")->trigger();
        QCOMPARE(find<QLineEdit>("runsFilter")->text(), "run=ours-2rho");
        QTRY_COMPARE(passing(), QStringList{"ours-2rho"});
        saveAs(entry("figures", "Save this figure…"), "figureDialog", "again");
        const RunCondition kept = savedFigure(savedFiguresPath(), "again").runs.where.front();
        QCOMPARE(kept.values, std::vector<std::string>{"ours-2rho"});

        RunStore::open(storePath()).star("ours-2rho", false);
        QSignalSpy problems(m_page.get(), &RunsPage::problem);
        entry("figures", "starred")->trigger();
        QCOMPARE(problems.count(), 1);
        QCOMPARE(problems[0][1].toString(), "starred");
        for (const char* name : {"starred", "newest", "again"}) {
            forgetFigure(savedFiguresPath(), name);
        }
        find<QLineEdit>("runsFilter")->clear();
    }

    // An ablation and parallel coordinates need no file of a run; of very many selected runs the
    // first are read, and the card says so.
    void filesAreReadForWhatIsDrawn() {
        RunsComparison comparison;
        QSignalSpy wanted(&comparison, &RunsComparison::filesWanted);
        for (const Comparison from : {Comparison::Ablation, Comparison::Parallel}) {
            comparison.setComparison(from);
            QVERIFY(!comparison.needsFiles());
            wanted.clear();
            comparison.setComparison(Comparison::ErrorByLayer);
            QVERIFY(comparison.needsFiles());
            QCOMPARE(wanted.count(), 1);
        }
        std::vector<RunRow> selected(250);
        std::vector<RunCurves> read(RunsComparison::kMostRead);
        for (std::size_t i = 0; i < selected.size(); ++i) {
            selected[i].id = "run-" + std::to_string(1000 + i);
            if (i < read.size()) {
                read[i].run = selected[i];
                MatrixRow matrix;
                matrix.name = "blk.0.attn_q";
                matrix.kind = "attn_q";
                matrix.relativeError = 0.1;
                read[i].matrices.push_back(matrix);
            }
        }
        comparison.setSelected(selected);
        comparison.setCompared(read);
        QStringList notes;
        for (const QLabel* label : comparison.findChildren<QLabel*>()) {
            notes << label->text();
        }
        QVERIFY2(notes.contains("the first 100 of 250 selected runs"), qPrintable(notes.join('|')));
        comparison.setComparison(Comparison::ErrorMap);
        QCOMPARE(comparison.maps()->difference()->data().columns, QStringList{"0"});
        QVERIFY(!comparison.maps()->second()->isHidden());
        comparison.setCompared({read[0]});
        QVERIFY(comparison.maps()->second()->isHidden());
        QCOMPARE(comparison.maps()->first()->data().values, QList<double>{0.1});
        comparison.setComparison(Comparison::ErrorByLayer);  // as it was found
    }

    // Of 250 selected runs the folders of the first 100 are opened: those of the others are gone.
    void foldersOfVeryManyRunsStayClosed() {
        for (int i = 0; i < 245; ++i) {
            writeRun("many-" + std::to_string(i), "cospadi", 0.2, 2, 0.1, 0.6);
        }
        m_page->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->model()->rowCount(), 250, 60000);
        compare("parallel coordinates");  // reads none
        m_page->selectAll();
        const std::vector<RunRow> selected = m_page->selectedRuns();
        QCOMPARE(selected.size(), std::size_t{250});
        const std::size_t most = RunsComparison::kMostRead;
        for (std::size_t i = most; i < selected.size(); ++i) {
            std::filesystem::rename(selected[i].directory, selected[i].directory + ".away");
        }
        QSignalSpy problems(m_page.get(), &RunsPage::problem);
        const auto notes = [this] {
            QStringList texts;
            for (const QLabel* label : m_page->findChildren<QLabel*>()) {
                texts << label->text();
            }
            return texts;
        };
        compare("error by matrix");
        QTRY_VERIFY_WITH_TIMEOUT(notes().contains("the first 100 of 250 selected runs"), 60000);
        QCOMPARE(problems.count(), 0);
        // One of the others would have been a problem.
        m_page->list()->select({QString::fromStdString(selected[most].id)});
        QTRY_COMPARE_WITH_TIMEOUT(problems.count(), 1, 60000);
        // Nor does what was drawn before stand for it.
        QVERIFY(!notes().contains("the first 100 of 250 selected runs"));
        QVERIFY(notes().contains("The selected runs cannot be read."));

        for (std::size_t i = most; i < selected.size(); ++i) {
            std::filesystem::rename(selected[i].directory + ".away", selected[i].directory);
        }
        for (int i = 0; i < 245; ++i) {
            std::filesystem::remove_all(runsDirectory() / ("many-" + std::to_string(i)));
        }
        m_page->refresh();
        QTRY_COMPARE_WITH_TIMEOUT(m_page->model()->rowCount(), 5, 60000);
    }
};

COSPADI_TEST(TestRunsComparison)

}  // namespace tst_runs_comparison

#include "tst_runs_comparison.moc"
