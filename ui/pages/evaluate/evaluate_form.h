// What is to be evaluated: models and runs, tasks, where their data sets are and how many items are
// asked; says the same as a command line, and why nothing can start. Remembers tasks, data and
// items between starts (evaluate/tasks, evaluate/data, evaluate/limit), which remember() writes.
#pragma once

#include <QList>
#include <QScrollArea>
#include <QStringList>
#include <vector>

#include "core/store/run_row.h"
#include "ui/engine/task_queue.h"

class QCheckBox;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace cospadi::ui {

class ElidedLabel;

class EvaluateForm : public QScrollArea {
    Q_OBJECT

  public:
    explicit EvaluateForm(QWidget* parent = nullptr);

    // The dense model, where there is one, and the finished runs; what is checked stays checked.
    void setModels(const QString& path, const QString& label, const std::vector<RunRow>& runs);
    void setData(const QString& folder);
    void chooseTasks(const QStringList& tasks);       // these and no others
    void chooseRuns(const QStringList& directories);  // beside the dense model, and no others
    // The data sets that were fetched or ship, and of the tasks those that have some: what is
    // checked, else the usual ones.
    void chooseWhatIsAtHand();
    void setFetching(bool on);    // the Fetch button stops it
    void setEvaluating(bool on);  // there is something to stop
    void setHeld(int jobs);       // so many wait for a word, which is asked for here
    // Looks again whether it can start: data sets may have come meanwhile.
    void check();
    void remember() const;

    QStringList tasks() const;
    QList<TaskJob> jobs() const;  // a job a checked model
    TaskJob question() const;     // what each of them is asked
    QPushButton* startButton() const { return m_start; }

  signals:
    void startWanted();
    void stopWanted();
    void heldStartWanted();
    void heldForgetWanted();
    void fetchWanted();  // or no longer wanted

  private:
    void makeLists();
    void makeDataFields();
    void makeButtons();
    QWidget* makeHeldRow();
    void arrange();
    void connectFields();
    QString problemOf(const QList<TaskJob>& jobs) const;  // empty: it can start

    QString m_modelPath;
    bool m_fetching = false;
    QListWidget* m_models;
    QListWidget* m_tasks;
    QLineEdit* m_data;
    QPushButton* m_browse;
    QPushButton* m_fetch;
    QSpinBox* m_limit;
    QCheckBox* m_again;
    QPushButton* m_start;
    QPushButton* m_stop;
    QWidget* m_heldRow;  // only where something is held
    ElidedLabel* m_heldWords;
    QPlainTextEdit* m_command;
};

}  // namespace cospadi::ui
