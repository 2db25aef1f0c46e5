// What would be submitted to a cluster, as text: arrays, core-hours and scripts; or why it cannot
// be.
#pragma once

#include <QJsonObject>
#include <QPlainTextEdit>

#include "ui/engine/engine_reply.h"

namespace cospadi::ui {

class SubmissionPreview : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit SubmissionPreview(QWidget* parent = nullptr);

    void showSubmission(const QJsonObject& submission);  // as ClusterSweeps::previewed() has it
    void showProblem(const EngineError& error);
};

}  // namespace cospadi::ui
