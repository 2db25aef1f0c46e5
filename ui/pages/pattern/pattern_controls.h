// The fields above the maps of the Pattern page: which run, which of its finished matrices, in what
// order rows and columns stand, and which run stands beside it. Lists only runs with a sparse
// dictionary; the choice stays where it can when the lists change.
#pragma once

#include <QWidget>
#include <vector>

#include "core/store/run_row.h"
#include "ui/charts/difference_map.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;

namespace cospadi::ui {

enum class EntryLook { Mask, Magnitude, Both };

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
    void matrixChosen();  // by the user, of the same run
    void besideChosen();
    void orderChosen();
    void lookChosen();
    void fitWanted();

  private:
    void fillRunRow();
    QHBoxLayout* makeOrderRow();
    void listBeside(const std::vector<RunRow>& runs);
    void listMatrices();

    QHBoxLayout* m_row;
    QComboBox* m_runs;
    QComboBox* m_matrices;
    QString m_listed;  // directory of the run whose matrices are listed
    QCheckBox* m_sorted;
    QComboBox* m_columns;
    QComboBox* m_look;
    QComboBox* m_beside;
    std::vector<RunRow> m_listedRuns;
};

}  // namespace cospadi::ui
