// Whether the sums of a plan's calibration text are on disk, so that no run of it takes the time to
// measure them: asked off the GUI thread, as the text's hash is part of the answer.
#pragma once

#include <QObject>
#include <string>

#include "core/store/run_specification.h"
#include "ui/base/latest_work.h"

namespace cospadi::ui {

class KeptCalibration : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    // Nothing is asked again of the same model and text.
    void ask(const RunSpecification& plan);
    void askAgain();  // something was calibrated, or ran, meanwhile

  signals:
    void told(bool isKept);

  private:
    RunSpecification m_plan;
    std::string m_asked;
    LatestWork m_work;
};

}  // namespace cospadi::ui
