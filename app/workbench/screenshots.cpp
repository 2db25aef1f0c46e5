#include "app/workbench/screenshots.h"

#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialog>
#include <QDir>
#include <QMetaObject>
#include <QTabWidget>
#include <QTextStream>
#include <QTimer>
#include <functional>

#include "core/methods/method.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/pattern_view.h"
#include "ui/engine/matrix_lab.h"
#include "ui/main_window.h"
#include "ui/models/comparison_curves.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/evaluate/sample_browser.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/message_bar.h"

namespace {

using cospadi::ui::Comparison;
using cospadi::ui::MainWindow;

constexpr int kLookMilliseconds = 100;  // between two looks at whether a step is done
constexpr int kSettleLooks = 8;         // layout, first paint, charts
constexpr int kMostLooks = 6000;        // ten minutes: a step that takes longer has failed
// The names of the menu entries that open them.
const char* const kDialogs[] = {"guide", "settings", "shortcuts", "about"};

void showComparison(QComboBox& box, Comparison wanted) {
    box.setCurrentIndex(box.findData(static_cast<int>(wanted)));
}

// What is done once, and how one sees that it has worked.
struct Step {
    std::function<void()> begin;
    std::function<bool()> isDone;
};

class Photographer : public QObject {
  public:
    Photographer(MainWindow& window, const QString& folder)
        : QObject(&window), m_window(window), m_folder(folder) {
        QDir().mkpath(folder);
        connect(&m_timer, &QTimer::timeout, this, &Photographer::look);
        m_timer.start(kLookMilliseconds);
        planSteps();
        planDialogs();
    }

  private:
    void planSteps() {
        const auto nothing = [] {};
        const auto always = [] { return true; };
        m_steps.push_back(
            {nothing, [this] { return m_window.modelPanel()->highlightedLayer() != nullptr; }});
        m_steps.push_back({[this] {
                               cospadi::RunSpecification plan;
                               plan.calibration.sequences = 4;
                               plan.calibration.length = 256;
                               m_window.planPanel()->setSpecification(plan);
                               m_window.modelPanel()->selectByRegex(
                                   QStringLiteral("blk\\.(0|1)\\.(attn_q|attn_k)$"));
                               m_window.startRun();
                           },
                           [this] { return !m_window.run()->isActive(); }});
        m_steps.push_back({[this] {
                               cospadi::RunSpecification plan =
                                   m_window.planPanel()->specification();
                               plan.method = &cospadi::methodFromName("svd-llm");
                               m_window.planPanel()->setSpecification(plan);
                               m_window.startRun();
                           },
                           [this] {
                               return !m_window.run()->isActive() &&
                                      m_window.runsPage()->model()->rowCount() == 2;
                           }});
        planEvaluation();
        // One matrix once more, to stand beside the first in the maps of the Pattern page.
        m_steps.push_back(
            {[this] {
                 cospadi::RunSpecification plan = m_window.planPanel()->specification();
                 plan.method = &cospadi::methodFromName("cospadi");
                 plan.rho = 2.5;
                 m_runsBefore = m_window.runsPage()->model()->rowCount();
                 m_window.planPanel()->setSpecification(plan);
                 m_window.modelPanel()->selectByRegex(QStringLiteral("blk\\.0\\.attn_q$"));
                 m_window.startRun();
             },
             [this] {
                 return !m_window.run()->isActive() &&
                        m_window.runsPage()->model()->rowCount() > m_runsBefore;
             }});
        m_steps.push_back(
            {[this] {
                 cospadi::TableDesign table;  // headings of two lines
                 table.metric = "error";
                 table.columns = {"cr", "rho"};
                 m_window.tablesPage()->setDesign(table);
                 m_window.modelPanel()->selectByRegex(
                     QStringLiteral("blk\\.(0|1)\\.(attn_q|attn_k)$"));
                 cospadi::RunSpecification plan = m_window.planPanel()->specification();
                 plan.rho = 2;
                 m_window.planPanel()->setSpecification(
                     plan, {QStringLiteral("0.2 0.3 0.4"), QStringLiteral("1.5 2"), {}, {}});
                 m_window.messageBar()->hide();
                 m_window.runsPage()->selectAll();
                 m_window.pages()->setCurrentIndex(0);
             },
             [this] { return !m_window.portraitPanel()->spectrumChart()->curves().isEmpty(); }});
        m_steps.push_back({[this] { m_window.pages()->setCurrentIndex(2); },
                           [this] {
                               return m_window.lab()->trace().number() > 0 &&
                                      !m_window.lab()->trace().status().isEmpty();
                           }});
        m_steps.push_back({[this] { m_window.pages()->setCurrentWidget(m_window.wholePage()); },
                           [this] { return m_window.wholePage()->shared().has_value(); }});
        for (int page = 0; page < MainWindow::pageNames().size(); ++page) {
            photograph(MainWindow::pageNames()[page], page);
        }
        auto* beside = m_window.findChild<QComboBox*>(QStringLiteral("patternBeside"));
        const auto* maps = m_window.patternPage()->maps();
        m_steps.push_back({[beside] { beside->setCurrentIndex(beside->count() - 1); },
                           [maps] { return !maps->difference()->isEmpty(); }});
        photograph(QStringLiteral("pattern-compared"),
                   m_window.pages()->indexOf(m_window.patternPage()));
        auto* comparison = m_window.findChild<QComboBox*>(QStringLiteral("comparison"));
        m_steps.push_back(
            {[comparison] { showComparison(*comparison, Comparison::Parallel); }, always});
        photograph(QStringLiteral("runs-parallel"), m_window.pages()->indexOf(m_window.runsPage()));
        m_steps.push_back(
            {[this, comparison] {
                 showComparison(*comparison, Comparison::Ablation);
                 m_window.findChild<cospadi::ui::AblationBar*>()->choose(
                     {{"rho", "error", "layers", ""}, {}});
             },
             [this] { return !m_window.runsPage()->comparisonChart()->curves().isEmpty(); }});
        photograph(QStringLiteral("runs-ablation"), m_window.pages()->indexOf(m_window.runsPage()));
        photographSeveralExplored();
    }

    // All kinds of a block beside each other.
    void photographSeveralExplored() {
        cospadi::ui::ExplorePage* page = m_window.explorePage();
        m_steps.push_back({[this, page] {
                               m_window.pages()->setCurrentWidget(page);
                               page->picker()->setBeside(page->picker()->otherKinds());
                           },
                           [this, page] {
                               return m_window.lab()->trace().matrices().size() ==
                                      page->picker()->layers().size();
                           }});
        m_steps.push_back({[] {}, [this] { return !m_window.lab()->isExploring(); }});
        photograph(QStringLiteral("explore-several"), m_window.pages()->indexOf(page));
    }

    void photograph(const QString& name, int page) {
        for (const char* look : {"light", "dark", "small"}) {
            const bool small = QLatin1String(look) == QLatin1String("small");
            m_steps.push_back({[this, page, look, small] {
                                   m_window.setDark(QLatin1String(look) == QLatin1String("dark"));
                                   m_window.resize(small ? QSize(1024, 600) : QSize(1440, 900));
                                   m_window.pages()->setCurrentIndex(page);
                                   m_settle = kSettleLooks;
                               },
                               [this] { return --m_settle <= 0; }});
            m_steps.push_back({[this, name, look] {
                                   save(QStringLiteral("%1-%2.png").arg(name, QLatin1String(look)),
                                        m_window);
                               },
                               [] { return true; }});
        }
    }

    // The dense model and both runs on a task, where there is data for one.
    void planEvaluation() {
        const QString data = qEnvironmentVariable("COSPADI_TASK_DATA");
        if (data.isEmpty()) {
            return;
        }
        m_steps.push_back({[this, data] {
                               cospadi::ui::EvaluatePage* page = m_window.evaluatePage();
                               m_window.pages()->setCurrentWidget(page);
                               page->setData(data);
                               page->chooseTasks({QStringLiteral("piqa")});
                               page->chooseAllModels();
                               page->start();
                           },
                           [this] {
                               const cospadi::ui::EvaluatePage* page = m_window.evaluatePage();
                               return !page->queue()->isActive() &&
                                      page->board()->rowCount() == 3 &&
                                      page->browser()->model()->rowCount() > 0;
                           }});
    }

    void planDialogs() {
        for (const char* name : kDialogs) {
            for (const char* look : {"light", "dark"}) {
                m_steps.push_back({[this, name, look] {
                                       m_window.setDark(QLatin1String(look) ==
                                                        QLatin1String("dark"));
                                       m_window.findChild<QAction*>(QLatin1String(name))->trigger();
                                       m_settle = kSettleLooks;
                                   },
                                   [this] { return --m_settle <= 0; }});
                m_steps.push_back({[this, name, look] {
                                       auto* dialog = m_window.findChildren<QDialog*>().last();
                                       save(QStringLiteral("%1-%2.png")
                                                .arg(QLatin1String(name), QLatin1String(look)),
                                            *dialog);
                                       delete dialog;
                                   },
                                   [] { return true; }});
            }
        }
    }

    void look() {
        if (m_next >= m_steps.size()) {
            m_timer.stop();
            QCoreApplication::exit(m_failed ? 1 : 0);
            return;
        }
        if (!m_begun) {
            m_begun = true;
            m_looks = 0;
            m_steps[m_next].begin();
            return;  // what it started is seen at the next look
        }
        if (m_steps[m_next].isDone()) {
            ++m_next;
            m_begun = false;
        } else if (++m_looks > kMostLooks) {
            QTextStream(stderr) << "cospadi-workbench: step " << m_next << " took too long\n";
            QCoreApplication::exit(1);
        }
    }

    void save(const QString& name, QWidget& widget) {
        const QString path = QDir(m_folder).filePath(name);
        if (!widget.grab().save(path)) {
            QTextStream(stderr) << "cospadi-workbench: cannot write " << path << '\n';
            m_failed = true;
        }
    }

    MainWindow& m_window;
    QString m_folder;
    QTimer m_timer;
    std::vector<Step> m_steps;
    std::size_t m_next = 0;
    bool m_begun = false;
    bool m_failed = false;
    int m_looks = 0;
    int m_settle = 0;
    int m_runsBefore = 0;
};

}  // namespace

void takeAllScreenshots(MainWindow& window, const QString& folder) {
    new Photographer(window, folder);  // owned by the window
}
