// The Pattern page: which atoms each output feature of a finished matrix uses, as a map that zooms,
// its rows by use, its columns by cluster; what can be read from it in numbers; and the same matrix
// of another run beside it, its atoms matched to these, with the difference of both. Reads what
// PatternControls has chosen and says what it amounts to; PatternMaps draws. In the place of one
// map stand many small ones (pattern_grid.h), of which one is opened.
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/store/run_row.h"
#include "ui/base/latest_work.h"
#include "ui/sources/pattern_source.h"

class QLabel;
class QSplitter;
class QStackedWidget;

namespace cospadi::ui {

class Card;
class CurveChart;
class PatternCharts;
class PatternControls;
class PatternGrid;
class PatternMaps;
class PatternView;

class PatternPage : public QWidget {
    Q_OBJECT

  public:
    explicit PatternPage(QWidget* parent = nullptr);

    void setRuns(const std::vector<RunRow>& runs);
    // Shows a run's matrices, also one that is not in the list yet (the live one), as if the user
    // had chosen it here. Keeps the matrix that is shown if it belongs to this run.
    void showRun(const QString& directory);
    // A matrix of the run that goes on was finished: shows that run, unless the user is looking at
    // another one just now or has chosen one; then it is only listed.
    void addFinishedMatrix(const QString& directory);

    PatternMaps* maps() const { return m_maps; }
    PatternGrid* grid() const { return m_grid; }
    PatternView* view() const;
    CurveChart* coefficientChart() const;
    CurveChart* coherenceChart() const;
    PatternView* secondView() const;
    QString facts() const;

  signals:
    void exported(const QString& path);
    void smallRunWanted();  // where there is no pattern yet

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QSplitter* makeSide();
    void connectGrid();
    void load();
    void turn();  // to one map or to many
    void loadGrid();
    void compare();
    void arrange();
    // isFirst: nothing was ever there, and a small run is offered.
    void showNothing(const QString& what, const QString& words, bool isFirst);
    void showFacts();
    QString axesWords() const;
    QString columnsAre() const;  // in words

    bool m_isByHand = false;  // the user chose the run that is shown; the live one is followed
    PatternControls* m_controls;
    Card* m_card;
    PatternMaps* m_maps;
    PatternGrid* m_grid;
    QStackedWidget* m_shown;  // one of both
    QSplitter* m_side = nullptr;
    QLabel* m_foot;  // what the axes are, or what lies under the pointer
    QLabel* m_facts;
    PatternCharts* m_charts = nullptr;

    std::shared_ptr<const PatternData> m_data;  // never null; k = 0: nothing is shown
    std::shared_ptr<const PatternPair> m_pair;  // never null; k = 0: nothing stands beside it
    QString m_problem;                          // why nothing stands beside it
    LatestWork m_loading;                       // of the pattern
    LatestWork m_comparison;                    // of it with another run's
};

}  // namespace cospadi::ui
