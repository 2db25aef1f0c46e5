// The runs of the plan handed to a cluster: the profile of the cluster, edited in place and kept,
// the name of the sweep, what is measured of its runs, what would be submitted, Submit. Beside the
// window.
#pragma once

#include <QDialog>

#include "ui/cluster/cluster_sweeps.h"
#include "ui/dialogs/cluster_plan.h"

class QLabel;
class QPushButton;

namespace cospadi::ui {

class ClusterProfileFields;
class ClusterSweepFields;
class SubmissionPreview;

class ClusterDialog : public QDialog {
    Q_OBJECT

  public:
    // sweeps: not null, outlives it.
    ClusterDialog(ClusterSweeps* sweeps, const ClusterPlan& plan, QWidget* parent = nullptr);

    // In the place of the one before; what was entered stays as far as it suits the new one, too.
    void takePlan(const ClusterPlan& plan);

    ClusterProfile profile() const;  // as the fields say
    QString sweepName() const;
    QByteArray grid() const;  // a sweep as JSON (docs/formats.md)

  private:
    void showSummary();
    void showButtons();
    void ask();
    void submit();
    void showProblem(const EngineError& error);

    ClusterSweeps* m_sweeps;
    ClusterPlan m_plan;
    ClusterProfileFields* m_profile;
    ClusterSweepFields* m_sweep;
    SubmissionPreview* m_preview;
    QLabel* m_summary;
    QPushButton* m_ask;
    QPushButton* m_submit;
    bool m_isSubmitting = false;
};

}  // namespace cospadi::ui
