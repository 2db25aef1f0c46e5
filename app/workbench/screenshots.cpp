#include "app/workbench/screenshots.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QImage>
#include <QTabWidget>
#include <QTextStream>
#include <QThreadPool>
#include <algorithm>
#include <filesystem>
#include <functional>

#include "app/workbench/example_ablation.h"
#include "app/workbench/step_player.h"
#include "core/base/resources.h"
#include "core/store/locations.h"
#include "ui/base/translated.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/map_tiles.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/pattern_view.h"
#include "ui/engine/activity.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/run_controller.h"
#include "ui/live_preferences.h"
#include "ui/main_window.h"
#include "ui/models/comparison_curves.h"
#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/evaluate/sample_browser.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/pattern/pattern_grid.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/planned_runs.h"
#include "ui/widgets/message_bar.h"

namespace {

using cospadi::RunRow;
using cospadi::RunSpecification;
using cospadi::app::ExampleAblation;
using cospadi::app::idsOf;
using cospadi::ui::Comparison;
using cospadi::ui::MainWindow;

constexpr int kStillLooks = 2;   // that see the same: layout, paint and charts are done
constexpr int kMostMoving = 50;  // what moves all the time, as words that count, is taken moving

// The names of the menu entries that open them.
const char* const kDialogs[] = {"guide", "settings", "shortcuts", "about"};

struct Look {
    const char* name;
    bool isDark;
    bool isSmall;
};
constexpr Look kLooks[] = {{"light", false, false},
                           {"dark", true, false},
                           {"small", false, true},
                           {"small-dark", true, true}};

void choose(QComboBox* box, const QVariant& data) { box->setCurrentIndex(box->findData(data)); }

class Photographer : public QObject {
  public:
    Photographer(MainWindow& window, const QString& folder)
        : QObject(&window),
          m_window(window),
          m_folder(folder),
          m_ablation(window.pages().runs->model()),
          m_player(this) {
        QDir().mkpath(folder);
        QApplication::setCursorFlashTime(0);  // a caret that blinks is never still
        connect(&m_player, &cospadi::app::StepPlayer::ended, this,
                [this] { QCoreApplication::exit(m_isFailed ? 1 : 0); });
        connect(&m_player, &cospadi::app::StepPlayer::stuck, this,
                [](const QString& step, const QString& why) {
                    QTextStream(stderr)
                        << "cospadi-workbench: pictures: " << step << ": " << why << '\n';
                    QCoreApplication::exit(1);
                });
        planRuns();
        planEvaluation();
        photographPlanning();
        photographPatterns();
        photographRuns();
        photographPage(QStringLiteral("evaluate"));
        photographTables();
        planDialogs();
        m_player.play();
    }

  private:
    void step(const QString& name, std::function<void()> begin, std::function<bool()> isDone) {
        m_player.add({name, std::move(begin), std::move(isDone)});
    }

    template <typename Widget>
    Widget* find(const char* name) {
        return m_window.findChild<Widget*>(QLatin1String(name));
    }

    // ---- what there is to see

    void planRuns() {
        using cospadi::ui::RunController;
        connect(m_window.services().run, &RunController::failed, this,
                [this](const cospadi::ui::EngineError& error) { m_player.stop(error.message); });
        connect(m_window.services().run, &RunController::runFinished, this,
                [this](const QString& status, const QString& message) {
                    if (status != QLatin1String("finished")) {
                        m_player.stop(status + QStringLiteral(": ") + message);
                    }
                    m_player.grantTime();
                });
        step(
            QStringLiteral("the model opens"), [] {},
            [this] { return m_window.pages().model->highlightedLayer() != nullptr; });
        step(
            QStringLiteral("SVD-LLM"), [this] { start(ExampleAblation::rivalPlan(), {}, 1); },
            [this] {
                return m_window.services().activity->isIdle() && m_ablation.rival().has_value();
            });
        step(
            QStringLiteral("the ablation"),
            [this] {
                start(ExampleAblation::plan(), ExampleAblation::lists(), ExampleAblation::kRuns);
            },
            [this] {
                return m_window.services().activity->isIdle() &&
                       m_ablation.runs().size() == ExampleAblation::kRuns;
            });
        step(
            QStringLiteral("names of runs"),
            [this] {
                for (const RunRow& run : m_ablation.compared()) {
                    m_window.pages().runs->nameRun(
                        run, run.method == "svd-llm"
                                 ? QStringLiteral("SVD-LLM")
                                 : QStringLiteral("CoSpaDi, ρ %1").arg(run.rho));
                }
            },
            [this] {
                const std::vector<RunRow> runs = m_ablation.compared();
                return std::none_of(runs.begin(), runs.end(), [](const RunRow& run) {
                    return cospadi::ui::ownName(run).isEmpty();
                });
            });
    }

    void start(const RunSpecification& plan, const cospadi::ui::SweepText& lists, int runs) {
        m_window.pages().plan->setSpecification(plan, lists);
        m_window.pages().model->selectByRegex(ExampleAblation::layers());
        if (m_window.pages().plan->jobs().size() != runs) {
            m_player.stop(QStringLiteral("the plan is not of %1 runs: %2")
                              .arg(runs)
                              .arg(m_window.pages().plan->problem()));
            return;
        }
        m_window.plannedRuns()->start();
    }

    static QString directoryOf(const RunRow& run) { return QString::fromStdString(run.directory); }

    // Pictures show no path of the machine that they were taken on.
    static QString tasksFolder() {
        const std::filesystem::path link = cospadi::runsDirectory().parent_path() / "tasks";
        if (!std::filesystem::exists(link)) {
            std::filesystem::create_directory_symlink(cospadi::resourcePath("tasks"), link);
        }
        return QString::fromStdString(link.string());
    }

    // The dense model and two runs on a task: on the program's own data, whatever was fetched.
    void planEvaluation() {
        cospadi::ui::EvaluatePage* page = m_window.pages().evaluate;
        step(
            QStringLiteral("tasks"),
            [this, page] {
                m_window.pages().tabs->setCurrentWidget(page);
                page->setData(tasksFolder());
                page->chooseTasks({QStringLiteral("piqa")});
                page->chooseRuns(
                    {directoryOf(*m_ablation.rival()), directoryOf(m_ablation.ofRho(2))});
                page->start();
            },
            [page] {
                return !page->queue()->isActive() && page->board()->rowCount() == 3 &&
                       page->browser()->model()->rowCount() > 0;
            });
    }

    // ---- the pages

    void photographPlanning() {
        step(
            QStringLiteral("the matrix under the cursor"),
            [this] { m_window.pages().tabs->setCurrentIndex(pageOf(QStringLiteral("model"))); },
            [this] {
                const auto& curves = m_window.pages().portrait->spectrumChart()->curves();
                const QString whitened = cospadi::ui::Words::tr("whitened, L W");
                return std::any_of(
                    curves.begin(), curves.end(),
                    [&](const cospadi::ui::Curve& curve) { return curve.name == whitened; });
            });
        photographPage(QStringLiteral("model"));
        photographPage(QStringLiteral("plan"));
        cospadi::ui::ExplorePage* page = m_window.pages().explore;
        const auto isExplored = [this, page] {
            const cospadi::ui::MatrixLab* lab = m_window.services().lab;
            return lab->trace().number() > 0 && !lab->trace().status().isEmpty() &&
                   !lab->isExploring() &&
                   lab->trace().matrices().size() == page->picker()->layers().size();
        };
        step(
            QStringLiteral("one matrix explored"),
            [this, page] {
                // By the usual solver: K-SVD is none to drag, nor for all of the model.
                m_window.pages().plan->setSpecification(ExampleAblation::usualPlan());
                m_window.pages().tabs->setCurrentWidget(page);
            },
            isExplored);
        photographPage(QStringLiteral("explore"));
        step(
            QStringLiteral("all kinds of a block explored"),
            [page] { page->picker()->setBeside(page->picker()->otherKinds()); }, isExplored);
        photograph(QStringLiteral("explore-several"), pageOf(QStringLiteral("explore")));
        step(
            QStringLiteral("the whole model"),
            [this] { m_window.pages().tabs->setCurrentWidget(m_window.pages().whole); },
            [this] { return m_window.pages().whole->shared().has_value(); });
        photographPage(QStringLiteral("whole"));
        step(
            QStringLiteral("the latest run"),
            [this] { m_window.pages().tabs->setCurrentWidget(m_window.pages().monitor); },
            [this] {
                return m_window.pages().monitor->errorChart()->curves().size() >=
                       ExampleAblation::kMatrices;
            });
        photographPage(QStringLiteral("monitor"));
    }

    void photographPatterns() {
        cospadi::ui::PatternPage* page = m_window.pages().pattern;
        const int place = m_window.pages().tabs->indexOf(page);
        step(
            QStringLiteral("a pattern"),
            [this, page] {
                m_window.pages().tabs->setCurrentWidget(page);
                page->showRun(directoryOf(m_ablation.ofRho(2)));
                find<QComboBox>("patternMatrix")->setCurrentText(ExampleAblation::oneMatrix());
            },
            [this, page] {
                return find<QComboBox>("patternMatrix")->currentText() ==
                           ExampleAblation::oneMatrix() &&
                       !page->view()->isEmpty();
            });
        photographPage(QStringLiteral("pattern"));
        step(
            QStringLiteral("a second run's pattern"),
            [this] { choose(find<QComboBox>("patternBeside"), directoryOf(m_ablation.ofRho(3))); },
            [page] { return !page->maps()->difference()->isEmpty(); });
        photograph(QStringLiteral("pattern-compared"), place);
        const auto haveMaps = [page](int count) {
            const auto& tiles = page->grid()->tiles()->tiles();
            return !page->grid()->isBusy() && tiles.size() == count &&
                   std::none_of(tiles.begin(), tiles.end(),
                                [](const cospadi::ui::MapTile& tile) { return tile.map.isNull(); });
        };
        auto* arrangement = find<QComboBox>("patternArrangement");
        step(
            QStringLiteral("patterns through the depth"),
            [arrangement] { arrangement->setCurrentIndex(1); },
            [haveMaps] { return haveMaps(ExampleAblation::kBlocks); });
        photograph(QStringLiteral("pattern-depth"), place);
        auto* setting = find<QComboBox>("patternSetting");
        step(
            QStringLiteral("settings to set patterns by"),
            [arrangement] { arrangement->setCurrentIndex(2); },
            [setting] { return setting->findData(QStringLiteral("rho")) >= 0; });
        step(
            QStringLiteral("patterns over ρ"),
            [setting] { choose(setting, QStringLiteral("rho")); },
            [haveMaps] { return haveMaps(ExampleAblation::kRhos); });
        photograph(QStringLiteral("pattern-setting"), place);
    }

    void showComparison(Comparison comparison, const QStringList& selected) {
        m_window.pages().tabs->setCurrentWidget(m_window.pages().runs);
        m_window.pages().runs->list()->select(selected);
        choose(find<QComboBox>("comparison"), static_cast<int>(comparison));
    }

    void photographRuns() {
        cospadi::ui::RunsPage* page = m_window.pages().runs;
        const int place = m_window.pages().tabs->indexOf(page);
        step(
            QStringLiteral("errors by matrix"),
            [this] { showComparison(Comparison::ErrorByLayer, idsOf(m_ablation.compared())); },
            [this, page] {
                return page->comparisonChart()->curves().size() ==
                       qsizetype(m_ablation.compared().size());
            });
        photographPage(QStringLiteral("runs"));
        step(
            QStringLiteral("error maps"),
            [this] {
                showComparison(Comparison::ErrorMap,
                               idsOf({*m_ablation.rival(), m_ablation.ofRho(2)}));
            },
            [page] {
                return page->errorMapView()->data().values.size() == ExampleAblation::kMatrices;
            });
        photograph(QStringLiteral("runs-map"), place);
        step(
            QStringLiteral("an ablation"),
            [this] {
                showComparison(Comparison::Ablation, idsOf(m_ablation.runs()));
                m_window.findChild<cospadi::ui::AblationBar*>()->choose(
                    {{"rho", "error", "cr", ""}, {}});
            },
            [page] {
                const auto& curves = page->comparisonChart()->curves();
                return curves.size() == ExampleAblation::kRatios &&
                       std::all_of(curves.begin(), curves.end(),
                                   [](const cospadi::ui::Curve& curve) {
                                       return curve.points.size() == ExampleAblation::kRhos &&
                                              curve.deviations.size() == ExampleAblation::kRhos;
                                   });
            });
        photograph(QStringLiteral("runs-ablation"), place);
        photographSweep();
        auto* colour = find<QComboBox>("parallelColour");
        const QString error = cospadi::ui::Words::tr("error");  // what its axis is called
        step(
            QStringLiteral("axes of all runs"),
            [this] { showComparison(Comparison::Parallel, {}); },
            [colour, error] { return colour->findData(error) >= 0; });
        step(
            QStringLiteral("all runs by their errors"), [colour, error] { choose(colour, error); },
            [page] { return page->parallelView()->lineCount() > ExampleAblation::kRuns; });
        photograph(QStringLiteral("runs-parallel"), place);
    }

    void photographSweep() {
        cospadi::ui::SweepView* view = m_window.pages().runs->sweepView();
        step(
            QStringLiteral("a sweep"),
            [this, view] {
                showComparison(Comparison::Sweep, idsOf(m_ablation.runs()));
                view->choose(ExampleAblation::lists().name);
                choose(find<QComboBox>("sweepMetric"), QStringLiteral("error"));
            },
            [view] { return !view->isBusy() && view->model()->rowCount() > 0; });
        step(
            QStringLiteral("its ratios by ρ"),
            [this] {
                choose(find<QComboBox>("sweepRows"), QStringLiteral("cr"));
                choose(find<QComboBox>("sweepColumns"), QStringLiteral("rho"));
            },
            [view] {
                const cospadi::SweepMatrix& matrix = view->model()->matrix();
                return !view->isBusy() && matrix.rows == "cr" && matrix.columns == "rho" &&
                       matrix.finished == ExampleAblation::kRuns;
            });
        photograph(QStringLiteral("runs-sweep"),
                   m_window.pages().tabs->indexOf(m_window.pages().runs));
    }

    static int pageOf(const QString& name) { return cospadi::ui::indexOfPage(name); }

    void photographPage(const QString& name) { photograph(name, pageOf(name)); }

    void photographTables() {
        step(
            QStringLiteral("a table"),
            [this] {
                cospadi::TableDesign table;  // headings of two lines
                table.metric = "error";
                table.columns = {"cr", "rho"};
                m_window.pages().tables->setDesign(table);
            },
            [this] { return !m_window.pages().tables->isBusy(); });
        photographPage(QStringLiteral("tables"));
    }

    // ---- pictures

    void photograph(const QString& name, int page) {
        for (const Look& look : kLooks) {
            takePicture(
                QStringLiteral("%1-%2.png").arg(name, QLatin1String(look.name)),
                [this, look, page] {
                    m_window.preferences()->setDark(look.isDark);
                    m_window.resize(look.isSmall ? QSize(1024, 600) : QSize(1440, 900));
                    m_window.pages().tabs->setCurrentIndex(page);
                    m_window.pages().messages->hide();
                },
                [this]() -> QWidget* { return &m_window; });
        }
    }

    void planDialogs() {
        for (const char* name : kDialogs) {
            for (const Look& look : kLooks) {
                if (look.isSmall) {
                    continue;
                }
                const auto dialog = [this]() -> QWidget* {
                    return m_window.findChildren<QDialog*>().last();
                };
                takePicture(
                    QStringLiteral("%1-%2.png").arg(QLatin1String(name), QLatin1String(look.name)),
                    [this, name, look] {
                        m_window.preferences()->setDark(look.isDark);
                        find<QAction>(name)->trigger();
                    },
                    dialog);
                step(
                    QStringLiteral("a dialog closes"), [dialog] { delete dialog(); },
                    [] { return true; });
            }
        }
    }

    // Of what `shown` says, once it stands still after `arrange`.
    void takePicture(const QString& file, const std::function<void()>& arrange,
                     const std::function<QWidget*()>& shown) {
        step(
            file,
            [this, arrange] {
                arrange();
                m_seen = {};
                m_still = m_moving = 0;
            },
            [this, file, shown] { return isStill(*shown()) && save(file); });
    }

    // Nothing is read or drawn in the background any more, and it looks as it did.
    bool isStill(QWidget& widget) {
        const QImage now = widget.grab().toImage();
        const bool isSame =
            QThreadPool::globalInstance()->activeThreadCount() == 0 && now == m_seen;
        m_seen = now;
        m_still = isSame ? m_still + 1 : 0;
        return m_still >= kStillLooks || ++m_moving >= kMostMoving;
    }

    // What was seen last. Goes on where it cannot be written, and says so at the end.
    bool save(const QString& name) {
        const QString path = QDir(m_folder).filePath(name);
        if (!m_seen.save(path)) {
            QTextStream(stderr) << "cospadi-workbench: cannot write " << path << '\n';
            m_isFailed = true;
        }
        return true;
    }

    MainWindow& m_window;
    QString m_folder;
    ExampleAblation m_ablation;
    cospadi::app::StepPlayer m_player;
    bool m_isFailed = false;
    QImage m_seen;
    int m_still = 0;   // looks since it last changed
    int m_moving = 0;  // looks at which it changed
};

}  // namespace

void takeAllScreenshots(MainWindow& window, const QString& folder) {
    new Photographer(window, folder);  // owned by the window
}
