// The window as a whole, without a screen: it explains itself, settings count, patterns and plans
// show what is there.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSet>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/report/sweep_matrix.h"
#include "core/store/locations.h"
#include "tests/registered_test.h"
#include "tests/ui/child_of.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/pattern_view.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/engine/activity.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/live_preferences.h"
#include "ui/models/job_table_model.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/window_dialogs.h"

namespace tst_window {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindow : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // No colour of the other theme stays in the words of a label, on pages that are not in front
    // neither.
    void wordsChangeTheirColoursWithTheTheme() {
        const auto coloursOf = [](const Theme& theme) {
            QSet<QString> names;
            for (const QColor& colour : {theme.text, theme.muted, theme.faint, theme.accent,
                                         theme.good, theme.warning, theme.error}) {
                names.insert(colour.name());
            }
            return names;
        };
        m_window->pages().model->showProblem(Error("no such file", "here", "look there"));
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
        }
        m_window->pages().runs->list()->showFilter("rhoo=2", false);
        static const QRegularExpression kColour("color: ?(#[0-9a-f]{6})");
        for (const bool dark : {true, false}) {
            const QSet<QString> before = coloursOf(theme());
            m_window->preferences()->setDark(dark);
            QTest::qWait(1);
            const QSet<QString> now = coloursOf(theme());
            QVERIFY(before != now);
            QStringList stale;
            int coloured = 0;
            for (const QLabel* label : m_window->findChildren<QLabel*>()) {
                auto found = kColour.globalMatch(label->text() + label->styleSheet());
                while (found.hasNext()) {
                    const QString colour = found.next().captured(1);
                    coloured += now.contains(colour) ? 1 : 0;
                    if (before.contains(colour) && !now.contains(colour)) {
                        stale << described(*label) + ": " + label->text();
                    }
                }
            }
            QVERIFY2(stale.isEmpty(), qPrintable(stale.join('\n')));
            QVERIFY(coloured >= 3);  // of empty charts, of the model that was not found
        }
    }

    // Waiting, then finished, under the name that the plan gave them; the engine is the real one.
    void aSweepFillsWhileItsRunsGoOn() {
        Job job;
        job.specification = planOf(0);
        job.specification.model = kSmallModel.toStdString();
        job.specification.layers = "blk\\.0\\.attn_q";
        job.sweep = "night";
        QList<Job> jobs{job, job};
        jobs[1].specification.cr = 0.4;
        m_window->services().queue->setHeld(true);
        m_window->services().queue->add(jobs);
        const SweepView* view = m_window->pages().runs->sweepView();
        const auto statuses = [view] {
            QStringList words;
            for (const SweepCell& cell : view->model()->matrix().cells) {
                words << QString::fromStdString(cell.run.status);
            }
            return words;
        };
        QTRY_COMPARE(statuses(), (QStringList{"waiting", "waiting"}));
        m_window->services().queue->setHeld(false);
        QTRY_COMPARE_WITH_TIMEOUT(statuses(), (QStringList{"finished", "finished"}), 60000);
        const std::vector<RunRow> stored = m_window->pages().runs->model()->runs();
        QCOMPARE(sweepNames(stored), std::set<std::string>{"night"});
        QCOMPARE(runsOfSweep(stored, "night").size(), std::size_t{2});
        QVERIFY(std::isfinite(view->model()->matrix().cells[1].value));
    }

    // Compressed, measured and asked, run after run, by what the Plan page says; the matrix shows
    // it.
    void whatFollowsARunIsMeasuredBeforeTheNext() {
        constexpr int kPatience = 120'000;  // milliseconds, for a loaded machine
        QSettings().setValue("evaluate/tokens", 512);
        load(modelThatReads());
        m_window->pages().model->selectByRegex("blk\\.0\\.attn_q");
        EvaluatePage* evaluate = m_window->pages().evaluate;
        evaluate->setData(COSPADI_TEST_DATA "/tasks");
        childOf<QSpinBox>(*evaluate, "evaluateLimit")->setValue(4);
        m_window->pages().plan->setSpecification(
            planOf(0), {"0.2 0.4", {}, {}, {}, "night", true, "piqa copa"});
        QStringList order;
        QList<int> waiting;  // whenever a run has been measured
        connect(m_window->services().run, &RunController::runFinished, this,
                [&order](const QString& status) { order << status; });
        connect(m_window->findChild<PerplexityMeasurement*>(), &PerplexityMeasurement::measured,
                this, [&order] { order << "perplexity"; });
        connect(evaluate->queue(), &TaskQueue::recorded, this, [&, this] {
            order << "tasks";
            waiting << m_window->services().queue->waiting();
        });
        m_window->plannedRuns()->start();
        const QStringList each{"finished", "perplexity", "tasks"};
        QTRY_COMPARE_WITH_TIMEOUT(order, each + each, kPatience);
        QCOMPARE(waiting, (QList<int>{1, 0}));
        QTRY_VERIFY(m_window->services().activity->isIdle());

        const SweepView* view = m_window->pages().runs->sweepView();
        auto* metric = childOf<QComboBox>(*view, "sweepMetric");
        const auto isFull = [view] {
            const std::vector<SweepCell>& cells = view->model()->matrix().cells;
            return !view->isBusy() && cells.size() == 2 &&
                   std::all_of(cells.begin(), cells.end(),
                               [](const SweepCell& cell) { return std::isfinite(cell.value); });
        };
        for (const char* name : {"piqa/acc", "copa/acc", "mean-accuracy", "perplexity"}) {
            QTRY_VERIFY2(metric->findData(name) >= 0, name);
            metric->setCurrentIndex(metric->findData(name));
            QTRY_VERIFY2(isFull(), name);
        }
        for (const SweepCell& cell : view->model()->matrix().cells) {
            const auto measured =
                std::find_if(cell.run.evaluations.begin(), cell.run.evaluations.end(),
                             [](const EvaluationRow& row) { return row.kind == "perplexity"; });
            QVERIFY(measured != cell.run.evaluations.end());
            QCOMPARE(cell.value, measured->perplexity);
            QCOMPARE(measured->maxTokens, std::int64_t{512});
            QCOMPARE(cell.run.taskResults[0].samples, std::int64_t{4});
        }
    }

    // A night without an answer is told in the evening.
    void tasksWithoutDataStartNothing() {
        m_window->pages().evaluate->setData(m_home.filePath("nowhere"));
        m_window->pages().plan->setSpecification(planOf(0), {{}, {}, {}, {}, {}, false, "piqa"});
        QVERIFY(m_window->pages().plan->problem().isEmpty());
        m_window->plannedRuns()->start();
        QVERIFY(m_window->services().queue->jobs().isEmpty() &&
                !m_window->services().run->isActive());
        QVERIFY2(m_window->pages().messages->text().contains("no data of piqa"),
                 qPrintable(m_window->pages().messages->text()));
    }

    // As --page has them.
    void pagesAreKnownByNameAndNumber() {
        const QStringList& names = pageNames();
        QCOMPARE(names.size(), m_window->pages().tabs->count());
        for (int page = 0; page < names.size(); ++page) {
            QCOMPARE(m_window->pages().tabs->tabText(page).toLower(), names[page]);
            QCOMPARE(indexOfPage(names[page]), page);
            QCOMPARE(indexOfPage(m_window->pages().tabs->tabText(page)), page);
            QCOMPARE(indexOfPage(QString::number(page + 1)), page);
        }
        for (const char* none : {"", "0", "10", "-1", "nowhere", "2.0"}) {
            QCOMPARE(indexOfPage(none), -1);
        }
    }

    void everyParameterIsExplained() {
        QStringList silent;
        int fields = 0;
        const auto explains = [](const QWidget* field) {
            return field->property("help").toString().contains("<b>") &&
                   !field->accessibleDescription().isEmpty() && !field->toolTip().isEmpty();
        };
        for (const QWidget* field : m_window->pages().plan->findChildren<QWidget*>()) {
            if (!takesTab(*field) ||
                !(field->inherits("QComboBox") || field->inherits("QAbstractSpinBox") ||
                  field->inherits("QLineEdit"))) {
                continue;
            }
            ++fields;
            if (!explains(field) && !explains(field->parentWidget())) {
                silent << described(*field);
            }
        }
        QVERIFY(fields > 15);
        QVERIFY2(silent.isEmpty(), qPrintable(silent.join("\n")));
    }

    void blocksInEitherOrder() {
        const LayerTreeModel* tree = m_window->pages().model->tree();
        auto* first = m_window->findChild<QSpinBox*>("firstBlock");
        auto* last = m_window->findChild<QSpinBox*>("lastBlock");
        QVERIFY(last->maximum() >= 1);
        first->setValue(1);
        last->setValue(0);
        QTest::mouseClick(m_window->findChild<QPushButton*>("onlyBlocks"), Qt::LeftButton);
        int expected = 0;
        for (const LayerInfo& layer : tree->layers()) {
            expected += layer.block <= 1 ? 1 : 0;
        }
        QCOMPARE(tree->checkedCount(), expected);
        QVERIFY(expected > 0);
        // Ticks elsewhere alone are not lost: these blocks are ticked as a whole.
        m_window->pages().model->selectByRegex("blk\\.0\\.attn_k");
        QCOMPARE(tree->checkedCount(), 1);
        first->setValue(1);
        last->setValue(1);
        QTest::mouseClick(m_window->findChild<QPushButton*>("onlyBlocks"), Qt::LeftButton);
        for (qsizetype i = 0; i < tree->checked().size(); ++i) {
            QCOMPARE(tree->checked()[i], tree->layers()[static_cast<std::size_t>(i)].block == 1);
        }
    }

    void aBadExpressionIsToldAsItIsTyped() {
        auto* regex = m_window->findChild<QLineEdit*>("layersRegex");
        const auto says = [this](const QString& words) {
            const QList<QLabel*> labels = m_window->pages().model->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        const int ticked = m_window->pages().model->tree()->checkedCount();
        QTest::keyClicks(regex, "(ffn");
        QVERIFY(says("Not a regular expression"));
        QTest::keyClicks(regex, ")_up");
        QVERIFY(!says("Not a regular expression") && says("Enter ticks them"));
        QCOMPARE(m_window->pages().model->tree()->checkedCount(), ticked);
        regex->selectAll();
        QTest::keyClicks(regex, "blk.0.ffn_up");
        QVERIFY(says("Found in 1 layer; Enter ticks it"));
        regex->selectAll();
        QTest::keyClick(regex, Qt::Key_Backspace);
        QVERIFY(says("layers selected"));
    }

    void sizesOfLayersShareOneWidth() {
        const auto* view = m_window->findChild<QTreeView*>("layerTree");
        QCOMPARE(view->columnWidth(LayerTreeModel::ShapeColumn),
                 view->columnWidth(LayerTreeModel::SizeColumn));
        const QAbstractItemModel& tree = *view->model();
        for (const int column : {LayerTreeModel::ShapeColumn, LayerTreeModel::SizeColumn}) {
            QCOMPARE(tree.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt(),
                     tree.index(0, column).data(Qt::TextAlignmentRole).toInt());
        }
    }

    void planAndExploreNameWhatIsTicked() {
        const ModelPanel* panel = m_window->pages().model;
        QCOMPARE(m_window->pages().explore->layer(), "blk.0.attn_q");
        m_window->pages().model->selectByRegex("blk\\.1\\.ffn_up");
        QCOMPARE(panel->tree()->checkedCount(), 1);
        QCOMPARE(QString::fromStdString(panel->tickedLayer()->name), "blk.1.ffn_up");
        QCOMPARE(m_window->pages().explore->layer(), "blk.1.ffn_up");
        const auto* figures = m_window->pages().plan->findChild<QLabel*>("layerFigures");
        QVERIFY2(figures->text().contains("blk.1.ffn_up"), qPrintable(figures->text()));
        const auto* total = m_window->pages().plan->findChild<QLabel*>("totalFigures");
        QTRY_VERIFY2(total->text().contains("in the 1 selected layer"), qPrintable(total->text()));
        QVERIFY2(!total->text().contains("selected layers"), qPrintable(total->text()));
        // What is ticked and shown stays.
        m_window->pages().model->selectByRegex("blk\\.1");
        QCOMPARE(m_window->pages().explore->layer(), "blk.1.ffn_up");
        m_window->pages().model->selectByRegex(".*");
        QCOMPARE(QString::fromStdString(panel->tickedLayer()->name), "blk.0.attn_q");
    }

    // What goes on and waits stands above what is over, and stays chosen when that changes.
    void waitingRunsStandAboveFinishedOnes() {
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        Job job;
        job.specification = planOf(0);
        m_window->services().queue->setHeld(true);
        m_window->services().queue->add({job, job});
        auto* table = m_window->findChild<QTableView*>("queueTable");
        const auto state = [table](int row) {
            return table->model()->index(row, JobTableModel::StateColumn).data().toString();
        };
        QCOMPARE(state(0), "waiting");
        QCOMPARE(state(1), "waiting");
        QCOMPARE(state(2), "finished");
        table->selectRow(1);
        QTest::mouseClick(m_window->findChild<QPushButton*>("queueEarlier"), Qt::LeftButton);
        QCOMPARE(table->selectionModel()->selectedRows().first().row(), 0);
    }

    void guideIsDueOnce() {
        QVERIFY(WelcomeGuide::isDue());
        QVERIFY(!WelcomeGuide::isDue());
        m_window->dialogs()->showGuide();
        auto* guide = m_window->findChild<WelcomeGuide*>();
        QVERIFY(guide != nullptr && guide->isVisible());
        QTest::mouseClick(buttonOf(*guide, "Plan"), Qt::LeftButton);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QVERIFY(!guide->isVisible());
    }

    void aboutTellsOfTheGpu() {
        for (QAction* action : m_window->findChildren<QAction*>()) {
            if (action->text().contains("About")) {
                action->trigger();
            }
        }
        auto* about = m_window->findChild<AboutDialog*>("about");
        QVERIFY(about != nullptr);
        QVERIFY(about->text().contains("GPU: "));
        QVERIFY2(about->text().contains("not used: ") || about->text().contains("used (cuda)"),
                 qPrintable(about->text()));
        QVERIFY(about->text().contains(QString("Qt: ") + qVersion()));
    }

    void settingsCount() {
        SettingsDialog dialog(Preferences::load());
        connect(&dialog, &SettingsDialog::applied, m_window->preferences(),
                &LivePreferences::apply);
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        dialog.findChild<QComboBox*>("settingsTheme")->setCurrentIndex(2);
        dialog.findChild<QComboBox*>("settingsNumbers")->setCurrentIndex(1);
        dialog.findChild<QSpinBox*>("settingsThreads")->setValue(1);
        dialog.findChild<QLineEdit*>("settingsRuns")->setText(m_home.filePath("else/runs"));
        dialog.findChild<QComboBox*>("settingsClosing")->setCurrentIndex(1);
        dialog.findChild<QCheckBox*>("settingsNotify")->setChecked(false);
        QTest::mouseClick(buttonOf(dialog, "Cancel"), Qt::LeftButton);
        QCOMPARE(Preferences::load(), Preferences());
        QTest::mouseClick(buttonOf(dialog, "OK"), Qt::LeftButton);
        const Preferences now = Preferences::load();
        QVERIFY(now.look == Preferences::Look::Dark && theme().dark && now.plainNumbers &&
                !now.notify);
        QCOMPARE(now.closing, Preferences::Closing::Stop);
        QCOMPARE(qgetenv("COSPADI_THREADS"), QByteArray("1"));
        QCOMPARE(QString::fromStdString(cospadi::runsDirectory().string()),
                 m_home.filePath("else/runs"));
        QCOMPARE(QLocale().toString(1234.5), "1234.5");
    }

    void settingsRefuseAFolderThatCannotBeWritten() {
        SettingsDialog dialog(Preferences::load());
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QSignalSpy applied(&dialog, &SettingsDialog::applied);
        dialog.show();
        dialog.findChild<QLineEdit*>("settingsRuns")->setText("/proc/no/runs");
        QTest::mouseClick(buttonOf(dialog, "OK"), Qt::LeftButton);
        QCOMPARE(applied.count(), 0);
        QVERIFY(dialog.isVisible());
        bool said = false;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) {
            said = said || (label->isVisible() && label->text().contains("/proc/no/runs"));
        }
        QVERIFY(said);
    }

    // Memory and load of a device stand beside its name while a run goes on.
    void aDeviceSaysHowBusyItIs() {
        const auto shown = [this] {
            QStringList words;
            for (const QLabel* label : m_window->statusBar()->findChildren<QLabel*>()) {
                words << label->text();
            }
            return words.join('|');
        };
        QTRY_VERIFY(shown().contains("cores"));
        const QString before = shown();
        emit m_window->services().engine->eventReceived(
            {{"event", "device"}, {"used_bytes", 30e9}, {"total_bytes", 141e9}, {"load", 0.87}});
        QVERIFY2(shown().contains(formatBytes(30e9)) && shown().contains(formatBytes(141e9)) &&
                     shown().contains(formatPercent(0.87)),
                 qPrintable(shown()));
        emit m_window->services().engine->eventReceived({{"event", "device"},
                                                         {"used_bytes", 30e9},
                                                         {"total_bytes", 141e9},
                                                         {"load", QJsonValue()}});
        QVERIFY(shown().contains(formatBytes(30e9)) && !shown().contains(formatPercent(0.87)));
        emit m_window->services().engine->eventReceived(
            {{"event", "run_finished"}, {"run", "another"}});
        QCOMPARE(shown(), before);
    }

    void aPatternIsOrderedAndComparedWithItself() {
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        PatternPage* page = m_window->pages().pattern;
        m_window->pages().tabs->setCurrentWidget(page);
        QTRY_VERIFY(!page->view()->isEmpty());
        const QImage before = page->view()->image();
        page->findChild<QComboBox*>("patternColumns")->setCurrentIndex(1);
        QTRY_VERIFY(page->view()->image() != before);
        // The same columns in another order: every row keeps its number of non-zeros.
        const QImage after = page->view()->image();
        QCOMPARE(after.size(), before.size());
        const auto count = [](const QImage& image, int y) {
            return std::count(image.constScanLine(y), image.constScanLine(y) + image.width(), 255);
        };
        for (int y = 0; y < before.height(); ++y) {
            QCOMPARE(count(after, y), count(before, y));
        }
        QVERIFY(!page->secondView()->isVisible());
        auto* beside = page->findChild<QComboBox*>("patternBeside");
        QTRY_VERIFY(beside->count() > 1);
        beside->setCurrentIndex(beside->findData(m_window->services().run->directory()));
        QTRY_VERIFY(page->secondView()->isVisible());
        QTRY_COMPARE(page->secondView()->image(), page->view()->image());
        QVERIFY2(page->facts().contains(formatPercent(1)), qPrintable(page->facts()));
        picture(*m_window, "patterns-compared");
        beside->setCurrentIndex(0);
        QVERIFY(!page->secondView()->isVisible());
    }
};

COSPADI_TEST(TestWindow)

}  // namespace tst_window

#include "tst_window.moc"
