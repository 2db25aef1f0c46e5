// Which columns the table of runs shows, in which order and how wide: those of the user's choice,
// which the settings remember (runs/columns: their keys, in order), or those in which some runs
// differ. Columns may be dragged; the first, the run's name, always stays.
#pragma once

#include <QObject>
#include <QStringList>
#include <optional>
#include <vector>

class QMenu;
class QTreeView;

namespace cospadi::ui {

class RunsTableModel;

class RunsColumns : public QObject {
    Q_OBJECT

  public:
    // table: shows the columns of `runs`, whatever stands between the two. Both outlive it.
    RunsColumns(const RunsTableModel* runs, QTreeView* table, QObject* parent);

    // Columns that say nothing about why the results of two runs differ: name, date, time, star,
    // tags, note.
    static bool isIncidental(int column);

    // compared: rows of the model. Of the columns only those are shown in which these differ, every
    // setting among them. No value: the user's choice.
    void show(const std::optional<std::vector<int>>& compared);
    // A width for every column from `first` on, by what it usually holds; numbers share one.
    void setWidths(int first);
    // Names, methods and tags that are cut short share the room that the others leave, unless the
    // user has set a width.
    void useRoom();
    const QStringList& wanted() const { return m_chosen; }  // keys, in their order
    void choose(const QStringList& keys);                   // and remembers them
    // A tick for every column; the usual ones.
    void fillMenu(QMenu* menu);

  signals:
    void chosen();  // other columns: they are to be shown

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;  // the view's size

  private:
    void takeOrder();  // as the user dragged it
    bool hasColumn(const QString& key) const;
    bool differs(int column, const std::vector<int>& rows) const;
    static bool hasDistance(int column);  // from the baseline, beside the number
    int neededWidth(int column) const;
    int lastShown() const;

    const RunsTableModel* m_runs;
    QTreeView* m_table;
    QStringList m_chosen;  // keys of those the user wants, in their order
    bool m_comparing = false;
    bool m_moving = false;  // by show(), not by the user
    bool m_sizing = false;
    bool m_isSizedByHand = false;
};

}  // namespace cospadi::ui
