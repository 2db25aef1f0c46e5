// Evaluate: models and runs × tasks, natively and as lm-eval scores them. Choose, start, watch the
// accuracy with its interval move, then look item by item at what compression changed.
#pragma once

#include <QWidget>
#include <vector>

#include "core/store/run_row.h"
#include "ui/engine/task_queue.h"

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace cospadi::ui {

class DataFetch;
class EvaluateForm;
class MessageBar;
class SampleBrowser;
class TaskBoardModel;

class EvaluatePage : public QWidget {
    Q_OBJECT

  public:
    // messages: where it tells what happened. None is null; all outlive it.
    EvaluatePage(TaskQueue* queue, DataFetch* fetch, MessageBar* messages,
                 QWidget* parent = nullptr);

    void setModel(const QString& path, const QString& label);  // the dense one
    void setRuns(const std::vector<RunRow>& runs);
    void setData(const QString& folder);              // of the data sets
    void chooseTasks(const QStringList& tasks);       // these and no others
    void chooseRuns(const QStringList& directories);  // beside the dense model, and no others
    void start();
    void remember() const;  // what is chosen, for the next start of the program
    // What a model would be asked now, without the model.
    TaskJob question() const;

    QPushButton* startButton() const;
    TaskBoardModel* board() const { return m_board; }
    SampleBrowser* browser() const { return m_browser; }
    TaskQueue* queue() const { return m_queue; }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void refresh();
    void bringUpToDate();
    QWidget* makeBoard();
    QWidget* makeEmptyState();
    void startWithWhatIsAtHand();
    void showQueue();
    void fetchData();

    TaskQueue* m_queue;
    DataFetch* m_fetcher;
    QString m_fetchStep;  // what is being done
    TaskBoardModel* m_board;
    QSortFilterProxyModel* m_sorted;
    MessageBar* m_messages;
    EvaluateForm* m_form;  // what to evaluate
    QString m_modelPath, m_modelLabel;
    std::vector<RunRow> m_runs;
    bool m_stale = true;  // what is listed is older than m_runs or the model
    QLabel* m_progress;
    QTableView* m_table;
    QStackedWidget* m_shown;  // the table, or what stands where it is empty
    QPushButton* m_startAtHand;
    QPushButton* m_fetchFirst;
    SampleBrowser* m_browser;
};

}  // namespace cospadi::ui
