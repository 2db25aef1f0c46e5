#include "ui/window_services.h"

#include "ui/cluster/cluster_sweeps.h"
#include "ui/engine/activity.h"
#include "ui/engine/curve_source.h"
#include "ui/engine/data_fetch.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/reproduction_work.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/engine/task_queue.h"

namespace cospadi::ui {

WindowServices makeServices(QObject* owner) {
    WindowServices made{};
    made.engine = new EngineClient(owner);
    made.run = new RunController(made.engine, owner);
    made.queue = new RunQueue(made.run, owner);
    made.lab = new MatrixLab(made.engine, owner);
    made.perplexity = new PerplexityMeasurement(made.engine, owner);
    made.tasks = new TaskQueue(made.engine, owner);
    made.fetch = new DataFetch(made.engine, owner);
    made.reproduction = new ReproductionWork(made.engine, owner);
    made.clusters = new ClusterSweeps(owner);
    made.curves = new CurveSource(made.engine, owner);
    made.activity = new Activity({made.run, made.queue, made.tasks, made.fetch, made.perplexity,
                                  made.lab, made.reproduction, made.curves},
                                 owner);
    return made;
}

}  // namespace cospadi::ui
