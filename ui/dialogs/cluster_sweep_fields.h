// How the runs of a plan become a sweep on a cluster: its name, the model as the nodes see it, and
// what is measured of every run.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QWidget>

#include "ui/dialogs/cluster_plan.h"

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace cospadi::ui {

class ClusterSweepFields : public QWidget {
    Q_OBJECT

  public:
    explicit ClusterSweepFields(const ClusterPlan& plan, QWidget* parent = nullptr);

    // What was entered of another model, or where the plan said something else of the measures, is
    // replaced.
    void takePlan(const ClusterPlan& plan);

    QString sweepName() const;
    QByteArray grid() const;  // a sweep as JSON (docs/formats.md)

  signals:
    void sweepNameChanged();

  private:
    void addMeasures(QFormLayout* form);
    void showPlan();
    void showMeasures();
    QJsonObject evaluation() const;

    ClusterPlan m_plan;
    QLineEdit* m_sweep;
    QLineEdit* m_model;
    QCheckBox* m_perplexity;
    QLineEdit* m_tasks;
    QLabel* m_items;  // how many of each task
    QLineEdit* m_taskData;
};

}  // namespace cospadi::ui
