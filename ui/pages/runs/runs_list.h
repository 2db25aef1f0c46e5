// The upper half of the Runs page: every stored run in a table that sorts, filters and groups, with
// the columns of the user's choice (runs_columns.h), and stars, archive marks, tags and notes to
// edit. Writes nothing itself: it announces what is wanted.
#pragma once

#include <QSet>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "core/store/run_row.h"
#include "ui/models/run_texts.h"
#include "ui/sources/run_catalog.h"

class QHBoxLayout;
class QLabel;
class QMenu;

namespace cospadi::ui {

class GroupedRunsModel;
class RunsColumns;
class RunsFilterModel;
class RunsGrouping;
class RunsTableModel;
class RunsToolbar;
class RunsTree;
struct SavedView;

class RunsList : public QWidget {
    Q_OBJECT

  public:
    explicit RunsList(QWidget* parent = nullptr);

    void setCatalog(RunCatalog catalog, std::vector<RunTexts> texts);
    // Those of sweeps that wait, with the status kWaitingStatus: their sweep counts them.
    void setAsked(const std::vector<RunRow>& asked);
    void select(const QStringList& ids);
    void selectAll();  // that pass the filter
    // Selected runs that leave the brush are selected again when they come back to it.
    void setBrushed(const std::optional<QSet<QString>>& runs);

    // What a saved view keeps of the list: filter, columns and group.
    void keepIn(SavedView& view) const;
    void showView(const SavedView& view);
    // Of a saved figure: filter and archived runs; columns and groups stay.
    void showFilter(const QString& filter, bool archivedToo);
    QString filter() const;  // as typed
    bool showsArchived() const;
    // A tag or a note is being typed, which setCatalog() would lose.
    bool isEditing() const;

    RunsTableModel* model() const { return m_runs; }
    QHBoxLayout* toolbar() const;          // for the page's own buttons
    std::vector<RunRow> selected() const;  // in the order on screen, groups by their runs
    std::vector<RunRow> onShow() const;    // in the order on screen
    std::vector<RunRow> passing() const;   // the filter, whatever is brushed; as stored

  signals:
    void viewMenuWanted(QMenu* menu);      // it is about to be shown
    void menuWanted(const QPoint& place);  // of the selected runs; on the screen
    void selectionChanged();
    void onShowChanged();
    void editingEnded();
    void opened(const cospadi::RunRow& run);  // double click or Return
    void starsWanted(const QStringList& runs, bool starred);
    void archiveWanted(const QStringList& runs, bool archived);
    void tagWanted(const QStringList& runs, const QString& tag);
    void tagsWanted(const QString& run, const QStringList& tags);
    void noteWanted(const QStringList& runs, const QString& text);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void connectToolbar();
    void filterBy(const std::function<void()>& change);
    void takeFilter();
    void tellSelection();
    // Of the filter: the term, what is wrong with it, what to write. Empty: nothing is.
    void showProblem(const QString& term, const QString& problem, const QString& hint);
    void colourProblem();
    void fillViewMenu(QMenu* menu);
    void showColumns();
    void regroupSoon();
    void regroup();
    void selectInside(const std::optional<QSet<QString>>& runs, const QStringList& chosen);
    void updateCount();

    RunsTableModel* m_runs;
    GroupedRunsModel* m_groups;
    RunsFilterModel* m_sorted;
    RunsTree* m_table;
    RunsColumns* m_columns;
    RunsGrouping* m_grouping;
    RunsToolbar* m_toolbar;
    QLabel* m_problem = nullptr;  // of the filter
    QLabel* m_count;
    QStringList m_warnings;
    QSet<QString> m_selectedOutside;  // the brush
    bool m_sized = false;
    bool m_quiet = false;
    bool m_isRegroupDue = false;
};

}  // namespace cospadi::ui
