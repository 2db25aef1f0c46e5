// Runs as the pages plan them: the settings of the Plan page, on the layers that are ticked in the
// open model. Tells whoever shows something of the plan, hands it on to the queue or to a cluster,
// and puts into it what other pages and stored runs want to be planned.
#pragma once

#include <QList>
#include <QObject>

#include "core/store/run_specification.h"
#include "ui/engine/run_queue.h"
#include "ui/sources/kept_calibration.h"
#include "ui/window_pages.h"
#include "ui/window_services.h"

namespace cospadi::ui {

class ClusterLife;
class OpenModel;
class RunLife;

class PlannedRuns : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        WindowPages pages;
        WindowServices services;
        OpenModel* openModel;
        RunLife* life;
        ClusterLife* clusterLife;
    };

    explicit PlannedRuns(const Parts& parts, QObject* parent = nullptr);

    // What the Run button does: queues the runs of the plan and shows the Monitor page.
    void start();
    // The runs of the plan to a cluster, by a dialog beside the window.
    void offerCluster();
    // A first run, small enough to be over in seconds: ticks the first block alone, plans CoSpaDi
    // as usual after a short calibration, and starts. Its end is explained.
    void tryOneBlock();
    // The ticks are others now, or how numbers and costs are told.
    void update();

  private:
    void connectPages();
    RunSpecification plannedRun() const;
    // With model and layers, and the data and items of the tasks that follow.
    QList<Job> plannedJobs() const;
    void showPlanned();
    void queueOne(const RunSpecification& specification);
    // Into the Plan page, with its layers ticked in its model.
    void takeUp(const RunSpecification& specification);

    Parts m_parts;
    KeptCalibration m_keptCalibration;
};

}  // namespace cospadi::ui
