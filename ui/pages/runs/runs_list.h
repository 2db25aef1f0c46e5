// The upper half of the Runs page: every stored run in a table that sorts, filters and groups, with
// the columns of the user's choice (remembered), and stars, archive marks, tags and notes to edit.
// Writes nothing itself: it announces what is wanted.
#pragma once

#include <QSet>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "core/store/run_row.h"
#include "ui/sources/run_catalog.h"

class QAction;
class QActionGroup;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;
class QTreeView;

namespace cospadi::ui {

class GroupedRunsModel;
class RunsFilterModel;
class RunsTableModel;

class RunsList : public QWidget {
    Q_OBJECT

  public:
    explicit RunsList(QWidget* parent = nullptr);

    void setCatalog(RunCatalog catalog);
    void select(const QStringList& ids);
    void selectAll();  // that pass the filter
    void setBrushed(const std::optional<QSet<QString>>& runs);

    RunsTableModel* model() const { return m_runs; }
    QHBoxLayout* toolbar() const { return m_toolbar; }  // for the page's own buttons
    std::vector<RunRow> selected() const;  // in the order on screen, groups by their runs
    std::vector<RunRow> onShow() const;    // in the order on screen
    std::vector<RunRow> passing() const;   // the filter, whatever is brushed; as stored

  signals:
    void selectionChanged();
    void onShowChanged();
    void opened(const cospadi::RunRow& run);  // double click or Return
    void starsWanted(const QStringList& runs, bool starred);
    void archiveWanted(const QStringList& runs, bool archived);
    void tagWanted(const QStringList& runs, const QString& tag);
    void tagsWanted(const QString& run, const QStringList& tags);
    void noteWanted(const QStringList& runs, const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QTreeView* makeTable();
    QWidget* makeToolbar();
    void fillGroupMenu(QMenu* menu);
    void fillMarkMenu(QMenu* menu);
    void chooseGroup(const QString& key);  // and remembers it
    void groupBy(const QString& key);
    // runs_list_columns.cpp
    static QStringList rememberedColumns();
    static bool isIncidental(int column);
    void sizeColumns(int first);
    void fillColumnMenu(QMenu* menu);
    void showColumns();
    void rememberColumns();
    bool differs(int column, const std::vector<int>& rows) const;
    QStringList selectedIds() const;
    QStringList foldedGroups() const;
    std::vector<int> selectedRows() const;  // of the model, in the order on screen
    std::vector<int> rowsOnShow() const;
    void ask(const QString& title, const QString& label, const char* name,
             const std::function<void(const QString&)>& answered);
    void updateCount();

    RunsTableModel* m_runs;
    GroupedRunsModel* m_groups;
    RunsFilterModel* m_sorted;
    QTreeView* m_table;
    QHBoxLayout* m_toolbar;
    QLineEdit* m_filter;
    QToolButton* m_view;
    QToolButton* m_mark;
    QToolButton* m_differing;
    QLabel* m_count;
    QStringList m_columns;  // keys of those the user wants, in their order
    QString m_groupKey;
    QStringList m_warnings;
    bool m_sized = false;
    bool m_quiet = false;
};

}  // namespace cospadi::ui
