// The Pattern page: which atoms each output feature of a finished matrix uses, as a map that zooms,
// with what can be read from it in numbers.
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

#include "core/pipeline/pattern_analysis.h"
#include "core/store/run_row.h"
#include "ui/widgets/chart_export.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QTabWidget;

namespace cospadi::ui {

class Card;
class CurveChart;
class PatternView;
class UsageChart;

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
    CurveChart* coefficientChart() const { return m_coefficients; }
    CurveChart* coherenceChart() const { return m_coherence; }
    QString facts() const;

  signals:
    void exported(const QString& path);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeControls();
    void listMatrices();
    void load();
    void sortRows();
    void showFacts();
    void showAnalysis();
    QWidget* makeCharts();
    QString columnsAre() const;  // in words
    void point(int row, int column);
    ExportSource exportSource() const;

    QComboBox* m_runs;
    QComboBox* m_matrices;
    QCheckBox* m_sorted;
    Card* m_card;
    PatternView* m_view;
    QLabel* m_message;
    QLabel* m_axes;
    QLabel* m_facts;
    QLabel* m_pointer;
    UsageChart* m_usage;
    CurveChart* m_coefficients;
    CurveChart* m_coherence;
    QTabWidget* m_charts = nullptr;
    PatternAnalysis m_analysis;

    // The pattern on show (core's SparsityPattern, kept by value).
    std::int64_t m_k = 0;
    std::int64_t m_d2 = 0;
    bool m_outputs = false;  // the dictionary is over the outputs: columns are inputs
    std::vector<std::uint8_t> m_entries;
    std::vector<std::int64_t> m_atomUsage;
    std::vector<std::int64_t> m_rowOrder;
    std::uint64_t m_generation = 0;  // of the load that counts; older ones are dropped
};

}  // namespace cospadi::ui
