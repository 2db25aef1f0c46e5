// The Pattern page: which atoms each output feature of a finished matrix uses, as a map that zooms,
// its rows by use, its columns by cluster; what can be read from it in numbers; and the same matrix
// of another run beside it, its atoms matched to these.
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

#include "core/store/run_row.h"
#include "ui/sources/pattern_source.h"
#include "ui/widgets/chart_export.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QHBoxLayout;

namespace cospadi::ui {

class Card;
class CurveChart;
class PatternCharts;
class PatternView;

class PatternPage : public QWidget {
    Q_OBJECT

  public:
    explicit PatternPage(QWidget* parent = nullptr);

    void setRuns(const std::vector<RunRow>& runs);
    // Shows a run's matrices, also one that is not in the list yet (the live one). Keeps the
    // matrix that is shown if it belongs to this run.
    void showRun(const QString& directory);
    // A matrix of the run that goes on was finished: shows that run, unless the user is looking at
    // another one just now; then it is only listed.
    void addFinishedMatrix(const QString& directory);

    PatternView* view() const { return m_view; }
    CurveChart* coefficientChart() const;
    CurveChart* coherenceChart() const;
    PatternView* secondView() const { return m_secondView; }
    QString facts() const;

  signals:
    void exported(const QString& path);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeControls();
    QHBoxLayout* makeOrderRow();
    void listBeside(const std::vector<RunRow>& runs);
    void listMatrices();
    void load();
    void compare();
    void arrange();  // rows and columns in the order that is asked for
    void draw(const SparsityPattern& pattern, const std::vector<std::int64_t>& rows,
              PatternView* view);
    void showNothing(const QString& words);
    void showFacts();
    QString columnsAre() const;  // in words
    void point(int row, int column);
    ExportSource exportSource() const;

    QComboBox* m_runs;
    QComboBox* m_matrices;
    QCheckBox* m_sorted;
    QComboBox* m_columns;
    QComboBox* m_beside;
    Card* m_card;
    PatternView* m_view;
    PatternView* m_secondView;
    QLabel* m_message;
    QLabel* m_axes;
    QLabel* m_facts;
    QLabel* m_pointer;
    PatternCharts* m_charts = nullptr;

    PatternData m_data;                    // k = 0: nothing is shown
    PatternPair m_second;                  // k = 0: nothing stands beside it
    QString m_problem;                     // why nothing stands beside it
    std::vector<std::int64_t> m_rowOrder;  // of the map; empty: as they are
    std::vector<std::int64_t> m_columnOrder;
    std::uint64_t m_generation = 0;  // of the load that counts; older ones are dropped
};

}  // namespace cospadi::ui
