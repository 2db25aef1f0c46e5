// The Pattern page: which atoms each output feature of a finished matrix uses, as a map that zooms,
// with what can be read from it in numbers.
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

#include "core/store/run_row.h"
#include "ui/widgets/chart_export.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace cospadi::ui {

class Card;
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
    QString facts() const;

  signals:
    void exported(const QString& path);

  private:
    QWidget* makeControls();
    void listMatrices();
    void load();
    void sortRows();
    void showFacts();
    void point(int row, int column);
    ExportSource exportSource() const;

    QComboBox* m_runs;
    QComboBox* m_matrices;
    QCheckBox* m_sorted;
    Card* m_card;
    PatternView* m_view;
    QLabel* m_message;
    QLabel* m_facts;
    QLabel* m_pointer;
    UsageChart* m_usage;

    // The pattern on show (core's SparsityPattern, kept by value).
    std::int64_t m_k = 0;
    std::int64_t m_d2 = 0;
    std::vector<std::uint8_t> m_entries;
    std::vector<std::int64_t> m_atomUsage;
    std::vector<std::int64_t> m_rowOrder;
    std::uint64_t m_generation = 0;  // of the load that counts; older ones are dropped
};

}  // namespace cospadi::ui
