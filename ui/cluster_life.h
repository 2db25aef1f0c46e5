// Sweeps on clusters as the window tells of them: submitted, watched, cancelled, what went wrong.
// Speaks through the message bar, as run_life.h does of the runs of this machine.
#pragma once

#include <QObject>
#include <QString>

#include "ui/cluster/cluster_sweeps.h"
#include "ui/dialogs/cluster_dialog.h"

namespace cospadi::ui {

class MessageBar;
class RunController;

class ClusterLife : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        ClusterSweeps* sweeps;
        RunController* run;
        MessageBar* messages;
    };

    explicit ClusterLife(const Parts& parts, QObject* parent = nullptr);

    // The dialog that submits, beside the window; the one that is open takes the plan and comes to
    // the front.
    void offer(const ClusterPlan& plan, QWidget* window);
    // A job in the place of the live run, from its first event on.
    void watch(const QString& file, const ClusterJob& job);

  signals:
    void monitorWanted();
    void submitted(const QString& file);
    void storedChanged();  // something of the stored runs

  private:
    Parts m_parts;
};

}  // namespace cospadi::ui
