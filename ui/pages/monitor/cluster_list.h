// The sweeps that went to clusters: one of them chosen, its jobs, and what can be done about them.
#pragma once

#include <QWidget>

#include "ui/cluster/cluster_sweeps.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace cospadi::ui {

class ClusterJobModel;

class ClusterList : public QWidget {
    Q_OBJECT

  public:
    explicit ClusterList(ClusterSweeps* sweeps, QWidget* parent = nullptr);

    void choose(const QString& file);

  signals:
    // To see a job at work in the place of the live run.
    void watchWanted(const QString& file, const cospadi::ui::ClusterJob& job);
    void submissionWanted();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void showSweeps();
    void showJobs();
    QString chosen() const;  // file; empty: none
    QList<int> chosenJobs() const;
    void watch();

    ClusterSweeps* m_sweeps;
    ClusterJobModel* m_jobs;
    QComboBox* m_box;
    QTableView* m_table;
    QLabel* m_state;
    QPushButton* m_watch = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_forget = nullptr;
};

}  // namespace cospadi::ui
