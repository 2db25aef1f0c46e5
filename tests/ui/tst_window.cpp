// The window as a whole, without a screen: everything has a name and is reached by keyboard, fits a
// small screen, explains itself; settings count; what was left behind is found again.
#include <QAbstractItemView>
#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <cmath>
#include <csignal>

#include "core/report/sweep_matrix.h"
#include "core/store/locations.h"
#include "tests/registered_test.h"
#include "tests/ui/cut_widgets.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "tests/ui/wrong_letters.h"
#include "ui/base/format.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/pattern_view.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/models/job_table_model.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/page_actions.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/widgets/mnemonics.h"
#include "ui/widgets/slider_spin.h"

namespace tst_window {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindow : public QObject, WindowFixture {
    Q_OBJECT

    // The message bar's button, once it is offered.
    QPushButton* offered(const QString& text) const {
        return buttonOf(*m_window->messageBar(), text);
    }

    void startRun(const RunSpecification& plan) const {
        m_window->planPanel()->setSpecification(plan);
        m_window->startRun();
    }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // Waiting, then finished, under the name that the plan gave them; the engine is the real one.
    void aSweepFillsWhileItsRunsGoOn() {
        Job job;
        job.specification = planOf(0);
        job.specification.model = kSmallModel.toStdString();
        job.specification.layers = "blk\\.0\\.attn_q";
        job.sweep = "night";
        QList<Job> jobs{job, job};
        jobs[1].specification.cr = 0.4;
        m_window->queue()->setHeld(true);
        m_window->queue()->add(jobs);
        const SweepView* view = m_window->runsPage()->sweepView();
        const auto statuses = [view] {
            QStringList words;
            for (const SweepCell& cell : view->model()->matrix().cells) {
                words << QString::fromStdString(cell.run.status);
            }
            return words;
        };
        QTRY_COMPARE(statuses(), (QStringList{"waiting", "waiting"}));
        m_window->queue()->setHeld(false);
        QTRY_COMPARE_WITH_TIMEOUT(statuses(), (QStringList{"finished", "finished"}), 60000);
        const std::vector<RunRow> stored = m_window->runsPage()->model()->runs();
        QCOMPARE(sweepNames(stored), std::set<std::string>{"night"});
        QCOMPARE(runsOfSweep(stored, "night").size(), std::size_t{2});
        QVERIFY(std::isfinite(view->model()->matrix().cells[1].value));
    }

    // ---- names, keyboard, size, help

    void everythingThatTakesTheFocusHasAName() {
        const QStringList nameless = namelessIn(*m_window);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
    }

    // A box tells what is chosen as its name; a label tells what it is about.
    void choicesAreToldWithTheirLabels() {
        int boxes = 0;
        QStringList silent;
        for (int page = 0; page < m_window->pages()->count(); ++page) {
            m_window->pages()->setCurrentIndex(page);
            QTest::qWait(1);
            for (QComboBox* box : m_window->pages()->currentWidget()->findChildren<QComboBox*>()) {
                if (!box->isVisible()) {
                    continue;
                }
                ++boxes;
                const auto labels =
                    QAccessible::queryAccessibleInterface(box)->relations(QAccessible::Label);
                if (labels.isEmpty() || labels[0].first->text(QAccessible::Name).isEmpty()) {
                    silent << m_window->pages()->tabText(page) + ": " + described(*box);
                }
            }
        }
        QVERIFY(boxes > 20);
        QVERIFY2(silent.isEmpty(), qPrintable(silent.join("\n")));
    }

    void chartsAreToldAsCharts() {
        const auto roleOf = [](QWidget* widget) {
            return QAccessible::queryAccessibleInterface(widget)->role();
        };
        int charts = 0;
        for (CurveChart* chart : m_window->findChildren<CurveChart*>()) {
            QCOMPARE(roleOf(chart), QAccessible::Chart);
            ++charts;
        }
        QVERIFY(charts > 5);
        QCOMPARE(roleOf(m_window->findChild<HeatMap*>()), QAccessible::Chart);
        QCOMPARE(roleOf(m_window->findChild<ParallelCoordinates*>()), QAccessible::Chart);
        QCOMPARE(roleOf(m_window->patternPage()->view()), QAccessible::Graphic);
        // Both halves of a number are that number.
        m_window->pages()->setCurrentWidget(m_window->planPanel());
        QTest::qWait(1);
        const auto fields = m_window->planPanel()->findChildren<SliderSpin*>();
        QVERIFY(fields.size() >= 2);
        for (const SliderSpin* field : fields) {
            QVERIFY(!field->slider()->accessibleName().isEmpty());
            QCOMPARE(field->slider()->accessibleName(), field->spin()->accessibleName());
        }
    }

    // What the cursor stands on comes before the name; the chart that has the focus anew is called
    // by its name alone.
    void valuesOfAChartStandBeforeItsName() {
        CurveChart* chart = m_window->portraitPanel()->spectrumChart();
        QTRY_VERIFY(!chart->curves().isEmpty());
        const auto name = [chart] {
            return QAccessible::queryAccessibleInterface(chart)->text(QAccessible::Name);
        };
        const QString own = chart->accessibleName();
        QVERIFY(!own.isEmpty());
        QCOMPARE(name(), own);
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_Right);
        const QString value = chart->accessibleDescription();
        QVERIFY2(value.contains("W: 1 (1)"), qPrintable(value));
        QCOMPARE(name(), value + " · " + own);
        chart->clearFocus();
        chart->setFocus();
        QCOMPARE(name(), own);
        const auto* stack =
            m_window->pages()->findChild<QStackedWidget*>(QString(), Qt::FindDirectChildrenOnly);
        m_window->pages()->setCurrentIndex(1);
        QCOMPARE(stack->accessibleName(), "Plan");
    }

    void dialogsHaveNamesToo() {
        for (QDialog* dialog : std::initializer_list<QDialog*>{
                 new SettingsDialog(Preferences(), m_window.get()),
                 new ShortcutList(shortcutsOf(*m_window), m_window.get()),
                 new AboutDialog({{"Engine", "9"}}, m_window.get())}) {
            const QStringList nameless = namelessIn(*dialog);
            QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join("\n")));
            QVERIFY(!dialog->isModal());
            delete dialog;
        }
        m_window->showGuide();
        auto* guide = m_window->findChild<WelcomeGuide*>();
        QVERIFY(guide != nullptr && !guide->isModal());
        QVERIFY2(namelessIn(*guide).isEmpty(), qPrintable(namelessIn(*guide).join("\n")));
    }

    // Presses Tab until it comes round: whoever takes the focus and is on show must have had it.
    void tabReachesEverything() {
        QStringList missed;
        for (int page = 0; page < m_window->pages()->count(); ++page) {
            m_window->pages()->setCurrentIndex(page);
            QTest::qWait(1);  // the page's first layout
            m_window->pages()->tabBar()->setFocus();
            QSet<const QWidget*> visited;
            for (int i = 0; i < 400; ++i) {
                const QWidget* at = QApplication::focusWidget();
                QVERIFY(at != nullptr);
                visited.insert(at);
                QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
                if (QApplication::focusWidget() == m_window->pages()->tabBar()) {
                    break;
                }
            }
            QCOMPARE(QApplication::focusWidget(), m_window->pages()->tabBar());
            for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
                if (takesTab(*widget) && widget->isVisible() && widget->isEnabled() &&
                    !visited.contains(widget)) {
                    missed << m_window->pages()->tabText(page) + ": " + described(*widget);
                }
            }
        }
        QVERIFY2(missed.isEmpty(), qPrintable(missed.join("\n")));
    }

    // As --page has them.
    void pagesAreKnownByNameAndNumber() {
        const QStringList& names = MainWindow::pageNames();
        QCOMPARE(names.size(), m_window->pages()->count());
        for (int page = 0; page < names.size(); ++page) {
            QCOMPARE(m_window->pages()->tabText(page).toLower(), names[page]);
            QCOMPARE(MainWindow::indexOfPage(names[page]), page);
            QCOMPARE(MainWindow::indexOfPage(m_window->pages()->tabText(page)), page);
            QCOMPARE(MainWindow::indexOfPage(QString::number(page + 1)), page);
        }
        for (const char* none : {"", "0", "10", "-1", "nowhere", "2.0"}) {
            QCOMPARE(MainWindow::indexOfPage(none), -1);
        }
    }

    void fitsASmallScreen_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void fitsASmallScreen() {
        QFETCH(bool, dark);
        const QSize kSmall(1024, 560);  // of 600, with a frame around it
        m_window->setDark(dark);
        m_window->messageBar()->show(MessageBar::Kind::Problem, QString(200, 'x'),
                                     "/a/place/that/is/long", QString("what to do ").repeated(20));
        m_window->messageBar()->offer("Do it", [] {});
        const QStringList cut = cutIn(*m_window, kSmall);
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join("\n")));
    }

    // At 200 % a laptop's screen has 720 x 450: what does not fit is scrolled to, also by Tab, and
    // a message stands where it is seen.
    void aScreenSmallerThanThePagesScrolls() {
        const QSize kTiny(720, 420);
        m_window->resize(kTiny);
        QTRY_COMPARE(m_window->size(), kTiny);
        for (int page = 0; page < m_window->pages()->count(); ++page) {
            m_window->pages()->setCurrentIndex(page);
            QTest::qWait(1);
            QCOMPARE(m_window->size(), kTiny);
        }
        const QWidget* pages = m_window->pages();
        QVERIFY(pages->width() > kTiny.width());
        const auto isSeen = [this](const QWidget* widget) {
            const QRect place(widget->mapTo(m_window.get(), QPoint(0, 0)), widget->size());
            return m_window->rect().contains(place);
        };
        m_window->pages()->setCurrentWidget(m_window->explorePage());
        QTest::qWait(1);
        int steps = 0;
        const auto isRight = [&] {
            const QWidget* at = QApplication::focusWidget();
            return at != nullptr && m_window->explorePage()->isAncestorOf(at) &&
                   at->mapTo(m_window->pages(), QPoint(0, 0)).x() > kTiny.width();
        };
        while (!isRight() && ++steps < 200) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        }
        QVERIFY(isRight());
        QVERIFY(isSeen(QApplication::focusWidget()));
        m_window->messageBar()->show(MessageBar::Kind::Problem, "what", "where");
        QTest::qWait(1);
        QVERIFY(isSeen(m_window->messageBar()));
    }

    void theWholeFrameIsOnTheScreen() {
        const QRect room = m_window->screen()->availableGeometry();
        QTRY_VERIFY2(
            m_window->frameGeometry().height() <= room.height(),
            qPrintable(
                QString("%1 of %2").arg(m_window->frameGeometry().height()).arg(room.height())));
        QVERIFY(m_window->frameGeometry().top() >= room.top());
        QVERIFY(m_window->frameGeometry().bottom() <= room.bottom());
        QVERIFY(m_window->statusBar()->isVisible());
    }

    // ---- messages

    // One place, over the page: whatever comes and goes, what is clicked stays where it is.
    void aMessageMovesNothing() {
        MessageBar* bar = m_window->messageBar();
        QCOMPARE(m_window->findChildren<MessageBar*>(), QList<MessageBar*>{bar});
        for (int page = 0; page < m_window->pages()->count(); ++page) {
            m_window->pages()->setCurrentIndex(page);
            QTest::qWait(1);
            const QSize size = m_window->pages()->currentWidget()->size();
            const QRect pages = m_window->pages()->geometry();
            bar->show(MessageBar::Kind::Problem, "what", "where", QString("hint ").repeated(100),
                      "topic");
            bar->offer("Do it", [] {});
            QTest::qWait(1);
            QVERIFY(bar->isVisible());
            QCOMPARE(m_window->pages()->geometry(), pages);
            QCOMPARE(m_window->pages()->currentWidget()->size(), size);
            QVERIFY(bar->parentWidget()->rect().contains(bar->geometry()));
            QVERIFY(bar->geometry().intersects(pages) && bar->height() < pages.height() / 2);
            QVERIFY(bar->geometry().bottom() > pages.center().y());
            // Nothing of the page shines through or lies above.
            QCOMPARE(bar->parentWidget()->childAt(bar->geometry().center())->window(),
                     m_window.get());
            QVERIFY(bar->isAncestorOf(bar->parentWidget()->childAt(bar->geometry().center())));
            bar->withdraw("topic");
            QVERIFY(!bar->isVisible());
        }
    }

    void messagesStandBesideEachOther() {
        MessageBar* bar = m_window->messageBar();
        QStringList done;
        bar->show(MessageBar::Kind::Information, "A run was interrupted", {}, {}, "run");
        bar->offer("Go on", [&done] { done << "went on"; });
        bar->show(MessageBar::Kind::Problem, "A directory is broken");
        QVERIFY(bar->text().contains("interrupted") && bar->text().contains("broken"));
        QVERIFY(offered("Go on") != nullptr && offered("Go on")->isVisible());
        // The same is told once; what is about the same takes its place.
        bar->show(MessageBar::Kind::Problem, "A directory is broken");
        QCOMPARE(bar->text().count("broken"), 1);
        bar->show(MessageBar::Kind::Information, "measuring", {}, {}, "perplexity");
        bar->offer("Stop", [&done] { done << "stopped"; });
        const QPushButton* stop = offered("Stop");
        bar->retell("perplexity", "measuring: 5 of 10");
        QVERIFY(bar->text().contains("5 of 10"));
        QCOMPARE(offered("Stop"), stop);  // is not made anew under the pointer
        // Of many the oldest waits.
        bar->show(MessageBar::Kind::Success, "Saved a", {}, {}, "saved");
        bar->show(MessageBar::Kind::Success, "Saved b", {}, {}, "saved");
        QVERIFY(!bar->text().contains("Saved a") && bar->text().contains("Saved b"));
        QVERIFY(!offered("Go on")->isVisible());
        QTest::mouseClick(offered("Stop"), Qt::LeftButton);
        QVERIFY(offered("Stop") == nullptr && offered("Go on")->isVisible());
        bar->retell("perplexity", "measuring: 6 of 10");  // it was closed: not told again
        QVERIFY(!bar->stands("perplexity") && !bar->text().contains("measuring"));
        QTest::mouseClick(offered("Go on"), Qt::LeftButton);
        QCOMPARE(done, (QStringList{"stopped", "went on"}));
        QVERIFY(!bar->stands("run") && bar->text().contains("broken"));
    }

    void everyParameterIsExplained() {
        QStringList silent;
        int fields = 0;
        const auto explains = [](const QWidget* field) {
            return field->property("help").toString().contains("<b>") &&
                   !field->accessibleDescription().isEmpty() && !field->toolTip().isEmpty();
        };
        for (const QWidget* field : m_window->planPanel()->findChildren<QWidget*>()) {
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

    // ---- which layers

    void blocksInEitherOrder() {
        const LayerTreeModel* tree = m_window->modelPanel()->tree();
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
    }

    void aBadExpressionIsToldAsItIsTyped() {
        auto* regex = m_window->findChild<QLineEdit*>("layersRegex");
        const auto says = [this](const QString& words) {
            const QList<QLabel*> labels = m_window->modelPanel()->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        const int ticked = m_window->modelPanel()->tree()->checkedCount();
        QTest::keyClicks(regex, "(ffn");
        QVERIFY(says("Not a regular expression"));
        QTest::keyClicks(regex, ")_up");
        QVERIFY(!says("Not a regular expression") && says("Enter ticks them"));
        QCOMPARE(m_window->modelPanel()->tree()->checkedCount(), ticked);
        regex->selectAll();
        QTest::keyClick(regex, Qt::Key_Backspace);
        QVERIFY(says("layers selected"));
    }

    // Alt and a letter reaches what stands on a page, each letter one thing. Letters come once the
    // page stands, and anew when what stands on it changes.
    void everyPageHasLetters() {
        for (int page = 0; page < m_window->pages()->count(); ++page) {
            m_window->pages()->setCurrentIndex(page);
            const QString name = MainWindow::pageNames()[page] + ": ";
            QTRY_COMPARE(name + wrongLetters(*m_window), name);
        }
        // A letter leads to its field.
        m_window->pages()->setCurrentWidget(m_window->planPanel());
        const QLabel* label = nullptr;
        for (const QLabel* one : m_window->planPanel()->findChildren<QLabel*>()) {
            label = QString(one->text()).remove('&') == "Ridge" ? one : label;
        }
        QVERIFY(label != nullptr);
        QTRY_VERIFY(!mnemonicOf(label->text()).isNull());
        QTest::keyClick(m_window.get(), mnemonicOf(label->text()).toLatin1(), Qt::AltModifier);
        QTRY_VERIFY(m_window->planPanel()->findChild<QWidget*>("ridge")->hasFocus());
    }

    void thePaletteReachesEveryAction() {
        QStringList known;
        QObject owner;
        for (const QAction* action : pageActions(*m_window->pages(), &owner)) {
            known << action->text();
        }
        for (const QAction* menu : m_window->menuBar()->actions()) {
            for (const QAction* action : actionsIn(*menu->menu())) {
                known << QString(action->text()).remove('&');
            }
        }
        for (const char* words :
             {"Plan: Use the paper's settings", "Model: Only these blocks", "Explore: Keep as run",
              "Monitor: Hold or go on", "Runs: Measure perplexity", "Evaluate: Fetch",
              "Tables: Save", "Run the plan", "Try one block first", "Model: Open › GGUF file…"}) {
            QVERIFY2(!known.filter(QRegularExpression('^' + QRegularExpression::escape(words)))
                          .isEmpty(),
                     qPrintable(QString(words) + " is not among\n" + known.join('\n')));
        }
        QCOMPARE(QSet<QString>(known.begin(), known.end()).size(), known.size());
        // Chosen, it happens, on its page.
        for (QAction* action : pageActions(*m_window->pages(), &owner)) {
            if (action->text() == "Plan: Use the paper's settings") {
                action->trigger();
                break;
            }
        }
        QCOMPARE(m_window->pages()->currentWidget(), m_window->planPanel());
        QCOMPARE(m_window->planPanel()->specification().solver, Solver::Ksvd);
    }

    // The help stands under the cards it explains, and fields begin in one line.
    void helpAndCardsAreAligned() {
        m_window->pages()->setCurrentWidget(m_window->planPanel());
        QTest::qWait(20);
        QList<int> rights;
        QList<int> lefts;
        const QWidget* plan = m_window->planPanel();
        const auto* scroll = plan->findChild<QScrollArea*>();
        for (const QFrame* card : plan->findChildren<QFrame*>("card")) {
            const bool inForm = scroll->isAncestorOf(card);
            const auto* heading = card->findChild<QLabel*>("heading");
            if (inForm || heading->text() == "Help") {
                rights << card->mapTo(plan, card->rect().bottomRight()).x();
            }
        }
        for (const char* name : {"iterations", "sequences", "sweepCr"}) {
            const auto* field = plan->findChild<QWidget*>(name);
            QVERIFY2(field != nullptr, name);
            lefts << field->mapTo(plan, QPoint(0, 0)).x();
        }
        QCOMPARE(rights.size(), 4);
        const auto told = [](const QList<int>& places) {
            QStringList words;
            for (const int place : places) {
                words << QString::number(place);
            }
            return words.join(' ');
        };
        QVERIFY2(QSet<int>(rights.begin(), rights.end()).size() == 1, qPrintable(told(rights)));
        QVERIFY2(QSet<int>(lefts.begin(), lefts.end()).size() == 1, qPrintable(told(lefts)));
    }

    void planAndExploreNameWhatIsTicked() {
        const ModelPanel* panel = m_window->modelPanel();
        QCOMPARE(m_window->explorePage()->layer(), "blk.0.attn_q");
        m_window->modelPanel()->selectByRegex("blk\\.1\\.ffn_up");
        QCOMPARE(panel->tree()->checkedCount(), 1);
        QCOMPARE(QString::fromStdString(panel->tickedLayer()->name), "blk.1.ffn_up");
        QCOMPARE(m_window->explorePage()->layer(), "blk.1.ffn_up");
        // What is ticked and shown stays.
        m_window->modelPanel()->selectByRegex("blk\\.1");
        QCOMPARE(m_window->explorePage()->layer(), "blk.1.ffn_up");
        m_window->modelPanel()->selectByRegex(".*");
        QCOMPARE(QString::fromStdString(panel->tickedLayer()->name), "blk.0.attn_q");
    }

    // As they stand on the page: kinds before the expression below them.
    void tabGoesDownTheModelPage() {
        m_window->pages()->setCurrentIndex(0);
        m_window->findChild<QPushButton*>("openModel")->setFocus();
        int kinds = 0;
        do {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            ++kinds;
            QVERIFY(kinds < 20);
        } while (QApplication::focusWidget()->objectName() == "kind");
        QVERIFY(kinds > 3);
        QCOMPARE(QApplication::focusWidget()->objectName(), "layersRegex");
    }

    // What goes on and waits stands above what is over, and stays chosen when that changes.
    void waitingRunsStandAboveFinishedOnes() {
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        Job job;
        job.specification = planOf(0);
        m_window->queue()->setHeld(true);
        m_window->queue()->add({job, job});
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

    // ---- guide, shortcuts, about, settings

    void guideIsDueOnce() {
        QVERIFY(WelcomeGuide::isDue());
        QVERIFY(!WelcomeGuide::isDue());
        m_window->showGuide();
        auto* guide = m_window->findChild<WelcomeGuide*>();
        QVERIFY(guide != nullptr && guide->isVisible());
        QTest::mouseClick(buttonOf(*guide, "Plan"), Qt::LeftButton);
        QCOMPARE(m_window->pages()->currentWidget(), m_window->planPanel());
        QVERIFY(!guide->isVisible());
    }

    void shortcutsAreListedAndDocumented() {
        const QList<ShortcutRow> rows = shortcutsOf(*m_window);
        QFile file(COSPADI_SOURCE_DIR "/docs/workbench.md");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString manual = QString::fromUtf8(file.readAll());
        QStringList undocumented;
        for (const auto& [what, keys] : rows) {
            const QStringList each = keys.split(", ");
            const auto isDocumented = [&manual](const QString& key) {
                const bool page = key.startsWith("Ctrl+") && key.size() == 6 && key[5].isDigit();
                return page || manual.contains("| " + key) || manual.contains(", " + key);
            };
            if (std::none_of(each.begin(), each.end(), isDocumented)) {
                undocumented << what + ": " + keys;
            }
        }
        QVERIFY2(undocumented.isEmpty(), qPrintable(undocumented.join("\n")));
        for (const char* known : {"Ctrl+K", "Ctrl+Return", "F5", "Ctrl+O", "Ctrl+1"}) {
            QVERIFY2(std::any_of(rows.begin(), rows.end(),
                                 [known](const ShortcutRow& row) {
                                     return row.second.contains(QLatin1String(known));
                                 }),
                     known);
        }
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
        connect(&dialog, &SettingsDialog::applied, m_window.get(), &MainWindow::applyPreferences);
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
        emit m_window->engine()->eventReceived(
            {{"event", "device"}, {"used_bytes", 30e9}, {"total_bytes", 141e9}, {"load", 0.87}});
        QVERIFY2(shown().contains(formatBytes(30e9)) && shown().contains(formatBytes(141e9)) &&
                     shown().contains(formatPercent(0.87)),
                 qPrintable(shown()));
        emit m_window->engine()->eventReceived({{"event", "device"},
                                                {"used_bytes", 30e9},
                                                {"total_bytes", 141e9},
                                                {"load", QJsonValue()}});
        QVERIFY(shown().contains(formatBytes(30e9)) && !shown().contains(formatPercent(0.87)));
        emit m_window->engine()->eventReceived({{"event", "run_finished"}, {"run", "another"}});
        QCOMPARE(shown(), before);
    }

    // ---- patterns

    void aPatternIsOrderedAndComparedWithItself() {
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        PatternPage* page = m_window->patternPage();
        m_window->pages()->setCurrentWidget(page);
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
        beside->setCurrentIndex(beside->findData(m_window->run()->directory()));
        QTRY_VERIFY(page->secondView()->isVisible());
        QTRY_COMPARE(page->secondView()->image(), page->view()->image());
        QVERIFY2(page->facts().contains(formatPercent(1)), qPrintable(page->facts()));
        picture(*m_window, "patterns-compared");
        beside->setCurrentIndex(0);
        QVERIFY(!page->secondView()->isVisible());
    }

    // ---- what was left behind

    void aDeadEngineIsToldAndTheRunResumed() {
        RunController* run = m_window->run();
        startRun(planOf(400));
        QTRY_VERIFY_WITH_TIMEOUT(!run->trace().matrices().isEmpty(), 30000);
        QSignalSpy finished(run, &RunController::runFinished);
        QCOMPARE(::kill(static_cast<pid_t>(m_window->engine()->processId()), SIGKILL), 0);
        QTRY_VERIFY(!run->isActive());
        QVERIFY(m_window->messageBar()->isVisible());
        const QString told = m_window->messageBar()->text();  // the second once it works again
        QVERIFY2(told.contains("crashed or was killed") || told.contains("The run was interrupted"),
                 qPrintable(told));
        QTRY_VERIFY(offered("Resume the run") != nullptr);
        QTest::mouseClick(offered("Resume the run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
    }

    void closingStopsTheRunAndTheNextStartFindsIt() {
        Preferences stops;
        stops.closing = Preferences::Closing::Stop;
        stops.save();
        startRun(planOf(400));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run()->trace().finished() >= 1, 60000);
        const QString id = m_window->run()->runId();
        QVERIFY(m_window->close());
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(offered("Resume") != nullptr, 20000);
        QVERIFY(m_window->messageBar()->text().contains(id.right(6)));
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QTest::mouseClick(offered("Resume"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
        QCOMPARE(m_window->run()->runId(), id);
    }

    // Neither hides the other.
    void aBrokenRunBesideTheOfferToResume() {
        Preferences stops;
        stops.closing = Preferences::Closing::Stop;
        stops.save();
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run()->trace().finished() >= 1, 60000);
        QVERIFY(m_window->close());
        m_window.reset();
        const QDir runs(QString::fromStdString(cospadi::runsDirectory().string()));
        QVERIFY(runs.mkpath("broken"));
        QFile file(runs.filePath("broken/run.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": 1, \"id\": ");
        file.close();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->messageBar()->text().contains("broken"), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(offered("Resume") != nullptr, 20000);
        QVERIFY(offered("Resume")->isVisible());
        QVERIFY(m_window->messageBar()->text().contains("broken"));
        // The directory is no run to be resumed.
        QVERIFY(offered("Resume the run") == nullptr);
    }

    // Whoever wanted to close need not be there when the run ends.
    void theWindowClosesWithTheRunItAskedAbout() {
        startRun(planOf(400));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->trace().matrices().isEmpty(), 60000);
        QVERIFY(!m_window->close());
        QVERIFY(offered("Stop it and close") != nullptr);
        m_window->messageBar()->show(MessageBar::Kind::Success, "Saved a figure");
        QVERIFY(offered("Stop it and close") != nullptr);  // the question stands beside it
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->isVisible(), 120000);
        QCOMPARE(m_window->run()->ending(), "finished");
    }

    void theQuestionStandsWhereTheRunWasCancelled() {
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->trace().matrices().isEmpty(), 60000);
        QVERIFY(!m_window->close());
        m_window->run()->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->run()->isActive(), 60000);
        QTRY_VERIFY(offered("Close") != nullptr);
        QVERIFY(offered("Stop it and close") == nullptr);
        QVERIFY(m_window->messageBar()->text().contains("Nothing goes on"));
        QVERIFY(offered("Go on with it") != nullptr);  // what became of the run stands, too
        QVERIFY(m_window->isVisible());
        QTest::mouseClick(offered("Close"), Qt::LeftButton);
        QVERIFY(!m_window->isVisible());
    }

    void closingLeavesTheRunAndTheNextStartWatchesIt() {
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run()->trace().finished() >= 1, 60000);
        const QString id = m_window->run()->runId();
        QVERIFY(!m_window->close());  // asks first
        QTRY_VERIFY(offered("Close, and let it run on") != nullptr);
        QTest::mouseClick(offered("Close, and let it run on"), Qt::LeftButton);
        QVERIFY(!m_window->isVisible());
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY2_WITH_TIMEOUT(offered("Watch it") != nullptr,
                                  qPrintable(m_window->messageBar()->text()), 20000);
        QVERIFY(m_window->messageBar()->text().contains(id.right(6)));
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QTest::mouseClick(offered("Watch it"), Qt::LeftButton);
        QTRY_VERIFY(!m_window->run()->trace().matrices().isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
        const RunTrace& trace = m_window->run()->trace();
        QCOMPARE(trace.finished(), trace.expected());
    }

    void aRunOutsideThisWindowIsToldOfAndCancelled() {
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run()->trace().finished() >= 1, 60000);
        QVERIFY(!m_window->close());
        QTRY_VERIFY(offered("Close, and let it run on") != nullptr);
        QTest::mouseClick(offered("Close, and let it run on"), Qt::LeftButton);
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(offered("Watch it") != nullptr, 20000);
        QTest::mouseClick(offered("Watch it"), Qt::LeftButton);
        const auto tells = [this](const QString& words) {
            const auto labels = m_window->runBar()->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(words); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(tells("Outside this window: Compressing"), 60000);
        QVERIFY(!buttonOf(*m_window->runBar(), "Pause")->isEnabled());
        QPushButton* cancel = buttonOf(*m_window->runBar(), "Cancel");
        QVERIFY(cancel->isEnabled());
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY2(tells("ending after its current iteration"),
                 qPrintable(m_window->messageBar()->text()));
        QVERIFY(!cancel->isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(finished[0][0].toString(), "cancelled");
        QVERIFY(!m_window->run()->isFollowing());
        QVERIFY(tells("Cancelled"));
        QVERIFY(!cancel->isEnabled());
        // From here on it can be this window's.
        QTRY_VERIFY(offered("Go on with it") != nullptr);
    }
};

COSPADI_TEST(TestWindow)

}  // namespace tst_window

#include "tst_window.moc"
