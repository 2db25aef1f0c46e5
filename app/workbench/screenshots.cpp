#include "app/workbench/screenshots.h"

#include <QCoreApplication>
#include <QObject>
#include <QTextStream>

#include "app/workbench/example_ablation.h"
#include "app/workbench/example_runs.h"
#include "app/workbench/pattern_pictures.h"
#include "app/workbench/photographer.h"
#include "app/workbench/planning_pictures.h"
#include "app/workbench/runs_pictures.h"
#include "app/workbench/step_player.h"
#include "app/workbench/tour.h"
#include "ui/main_window.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"

namespace cospadi::app {

namespace {

class WindowTour : public QObject {
  public:
    WindowTour(ui::MainWindow& window, const QString& folder)
        : QObject(&window),
          m_ablation(window.pages().runs->model()),
          m_player(this),
          m_photographer(window, m_player, folder) {
        connect(&m_player, &StepPlayer::ended, this,
                [this] { QCoreApplication::exit(m_photographer.hasFailed() ? 1 : 0); });
        connect(&m_player, &StepPlayer::stuck, this, [](const QString& step, const QString& why) {
            QTextStream(stderr) << "cospadi-workbench: pictures: " << step << ": " << why << '\n';
            QCoreApplication::exit(1);
        });
        const Tour tour{window, m_ablation, m_player, m_photographer};
        makeExampleRuns(tour);
        evaluateExampleRuns(tour);
        photographPlanning(tour);
        photographPatterns(tour);
        photographRuns(tour);
        m_photographer.photographPage(QStringLiteral("evaluate"));
        photographTables(window);
        m_photographer.photographDialogs();
        m_player.play();
    }

  private:
    void photographTables(ui::MainWindow& window) {
        ui::TablesPage* page = window.pages().tables;
        m_player.add({QStringLiteral("a table"),
                      [page] {
                          TableDesign table;  // headings of two lines
                          table.metric = "error";
                          table.columns = {"cr", "rho"};
                          page->setDesign(table);
                      },
                      [page] { return !page->isBusy(); }});
        m_photographer.photographPage(QStringLiteral("tables"));
    }

    ExampleAblation m_ablation;
    StepPlayer m_player;
    Photographer m_photographer;
};

}  // namespace

}  // namespace cospadi::app

void takeAllScreenshots(cospadi::ui::MainWindow& window, const QString& folder) {
    new cospadi::app::WindowTour(window, folder);  // owned by the window
}
