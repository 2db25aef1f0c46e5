// What the window works with that has no face: the engine's process, all that asks it, and sweeps
// on clusters. Plain pointers, none null: a copy is as good.
#pragma once

class QObject;

namespace cospadi::ui {

class Activity;
class ClusterSweeps;
class CurveSource;
class DataFetch;
class EngineClient;
class MatrixLab;
class PerplexityMeasurement;
class ReproductionWork;
class RunController;
class RunQueue;
class TaskQueue;

struct WindowServices {
    EngineClient* engine;
    RunController* run;
    RunQueue* queue;
    MatrixLab* lab;
    PerplexityMeasurement* perplexity;
    TaskQueue* tasks;
    DataFetch* fetch;
    ReproductionWork* reproduction;
    ClusterSweeps* clusters;
    CurveSource* curves;
    Activity* activity;  // whoever would stop the engine asks this first
};

// Children of `owner`, made in that order.
WindowServices makeServices(QObject* owner);

}  // namespace cospadi::ui
