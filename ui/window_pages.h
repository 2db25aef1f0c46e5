// The pages of the window and what stands around them: what they are called, how they are made and
// put in their places; what they tell one another is page_connections.h. Plain pointers, none null:
// a copy is as good. To add a page: its field here, its widget and its tab in makePages(), its name
// in pageNames().
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

class QTabWidget;
class QWidget;

namespace cospadi::ui {

class EvaluatePage;
class ExplorePage;
class MessageBar;
class ModelPanel;
class MonitorPage;
class PatternPage;
class PlanPanel;
class PortraitPanel;
class RunBar;
class RunsPage;
class TablesPage;
class WholePage;
struct WindowServices;

struct WindowPages {
    Q_DECLARE_TR_FUNCTIONS(cospadi::ui::WindowPages)

  public:
    QWidget* centre;       // all that follows, for the middle of a window
    RunBar* runBar;        // above the pages
    MessageBar* messages;  // over them
    QTabWidget* tabs;      // one a page, in the order of pageNames()
    QWidget* modelPage;    // where these two stand side by side:
    ModelPanel* model;
    PortraitPanel* portrait;
    PlanPanel* plan;
    ExplorePage* explore;
    WholePage* whole;
    MonitorPage* monitor;
    PatternPage* pattern;
    RunsPage* runs;
    EvaluatePage* evaluate;
    TablesPage* tables;
};

// Belong to their centre, which belongs to nobody yet.
WindowPages makePages(const WindowServices& services);

// In order, as the option --page and the files of pictures call them.
const QStringList& pageNames();
// The place of the page of this name, or of this number from 1 on; −1 where there is none.
int indexOfPage(const QString& word);

}  // namespace cospadi::ui
