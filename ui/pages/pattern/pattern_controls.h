// The fields above the maps of the Pattern page: which run, which of its finished matrices, in what
// order rows and columns stand, which run stands beside it, and whether it is one map or many small
// ones. Lists only runs with a sparse dictionary; the choice stays where it can when the lists
// change.
#pragma once

#include <QWidget>
#include <vector>

#include "core/store/run_row.h"
#include "ui/charts/difference_map.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QToolButton;

namespace cospadi::ui {

enum class EntryLook { Mask, Magnitude, Both };

// One map; one of every block of the run; one of every run that differs in a setting.
enum class MapArrangement { One, Depth, Setting };

class PatternControls : public QWidget {
    Q_OBJECT

  public:
    explicit PatternControls(QWidget* parent = nullptr);

    // Emits listed().
    void setRuns(const std::vector<RunRow>& runs);
    void showRun(const QString& directory);  // also one that is not in the list yet
    void addRun(const QString& directory);   // to the list, where it is not; chooses nothing

    QString run() const;  // its directory; empty: there is none, as with the next two
    QString matrix() const;
    QStringList matrices() const;
    const std::vector<RunRow>& storedRuns() const { return m_listedRuns; }
    MapArrangement arrangement() const;
    QString setting() const;  // in which runs differ; empty: none is known
    // What there is to choose from; maps: how many each has. Says nothing.
    void setSettings(const QStringList& names, const QList<int>& maps, const QString& chosen);
    // One map, of this matrix of this run.
    void showOne(const QString& directory, const QString& matrix);
    QString beside() const;  // its directory
    bool atomsByUse() const;
    bool columnsByCluster() const;
    EntryLook entryLook() const;
    // What run() and beside() are called beside each other: by what they differ in, or by a name of
    // their own. Empty where nothing is known of one.
    PairNames names() const;

    QHBoxLayout* row() const { return m_row; }  // for what follows the matrix

  signals:
    // The matrices of the run were listed again. isOther: run or matrix is another one than before.
    void listed(bool isOther);
    void runChosen();     // by the user; after listed()
    void matrixChosen();  // by the user, of the same run
    void besideChosen();
    void orderChosen();
    void arrangementChosen();  // or the setting
    void lookChosen();
    void fitWanted();

  private:
    void fillRunRow();
    QHBoxLayout* makeOrderRow();
    void listBeside(const std::vector<RunRow>& runs);
    void listMatrices();
    const RunRow* stored(const QString& directory) const;  // null: not in the index yet
    void enableWhatCounts();

    QHBoxLayout* m_row;
    QComboBox* m_runs;
    QComboBox* m_matrices;
    QComboBox* m_arrangement;
    QComboBox* m_setting;
    QToolButton* m_fit;
    QString m_listed;  // directory of the run whose matrices are listed
    QCheckBox* m_sorted;
    QComboBox* m_columns;
    QComboBox* m_look;
    QComboBox* m_beside;
    std::vector<RunRow> m_listedRuns;
};

}  // namespace cospadi::ui
