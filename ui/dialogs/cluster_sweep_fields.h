// How the runs of a plan become a sweep on a cluster: its name, the model as the nodes see it, and
// what is measured of every run.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QWidget>

#include "ui/dialogs/cluster_plan.h"

class QCheckBox;
class QFormLayout;
class QLineEdit;

namespace cospadi::ui {

class ClusterSweepFields : public QWidget {
    Q_OBJECT

  public:
    explicit ClusterSweepFields(const ClusterPlan& plan, QWidget* parent = nullptr);

    QString sweepName() const;
    QByteArray grid() const;  // a sweep as JSON (docs/formats.md)

  signals:
    void sweepNameChanged();

  private:
    void addMeasures(QFormLayout* form);
    QJsonObject evaluation() const;

    ClusterPlan m_plan;
    QLineEdit* m_sweep;
    QLineEdit* m_model;
    QCheckBox* m_perplexity;
    QLineEdit* m_tasks;
    QLineEdit* m_taskData;
};

}  // namespace cospadi::ui
