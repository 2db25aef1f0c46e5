// The profile of a cluster, edited in place: how it is reached and what a task of it gets. Profiles
// are kept by name, the one that was used last first.
#pragma once

#include <QList>
#include <QWidget>

#include "ui/cluster/cluster_profile.h"

class QComboBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace cospadi::ui {

class ClusterProfileFields : public QWidget {
    Q_OBJECT

  public:
    explicit ClusterProfileFields(QWidget* parent = nullptr);  // with the one used last

    ClusterProfile profile() const;
    bool hasName() const;
    void focusName();
    void keep();  // under its name, where it has one

  private:
    void addReach(QFormLayout* form);
    QFormLayout* makeLimits();
    QFormLayout* makeShares();
    void show(const ClusterProfile& profile);
    void choose(int row);
    void remove();

    QList<ClusterProfile> m_profiles;
    QComboBox* m_name;
    QLineEdit* m_host;
    QLineEdit* m_program;
    QLineEdit* m_folder;
    QLineEdit* m_partition;
    QLineEdit* m_time;
    QLineEdit* m_memory;
    QLineEdit* m_gpus;
    QLineEdit* m_setup;
    QSpinBox* m_cpus;
    QSpinBox* m_bundle;
    QSpinBox* m_arrayLimit;
};

}  // namespace cospadi::ui
