// Is anything going on in the engine, and what? The one answer for whoever would stop the engine:
// closing, settings, a restart.
#pragma once

#include <QObject>
#include <QString>

namespace cospadi::ui {

class CurveSource;
class DataFetch;
class MatrixLab;
class PerplexityMeasurement;
class RunController;
class RunQueue;
class ReproductionWork;
class TaskQueue;

class Activity : public QObject {
    Q_OBJECT

  public:
    // Looks at single matrices (portraits, explorations) are none: they are asked for anew at once.
    // Of several that go on the first of this list is told.
    enum class Kind {
        None,
        Run,
        Reproduction,
        Tasks,
        Fetch,
        Perplexity,
        Calibration,
        Curves,
        Queue
    };
    Q_ENUM(Kind)

    struct Parts {  // what can go on; none is null
        const RunController* run;
        const RunQueue* queue;
        const TaskQueue* tasks;
        const DataFetch* fetch;
        const PerplexityMeasurement* perplexity;
        const MatrixLab* lab;
        const ReproductionWork* reproduction;
        const CurveSource* curves;
    };

    explicit Activity(const Parts& parts, QObject* parent = nullptr);

    Kind kind() const;
    bool isIdle() const { return kind() == Kind::None; }
    // A run and nothing behind it in the engine that its end would lose: it could go on in a
    // process of its own.
    bool isRunAlone() const;
    QString words() const;        // "A run is going on."; empty where nothing is
    QString wordsOfStop() const;  // what becomes of it where the engine is stopped

  signals:
    void changed();  // of kind()

  private:
    void look();

    Parts m_parts;
    Kind m_told = Kind::None;
};

}  // namespace cospadi::ui
