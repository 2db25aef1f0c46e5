#include "ui/dialogs/cluster_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/font_units.h"
#include "ui/dialogs/cluster_profile_fields.h"
#include "ui/dialogs/cluster_sweep_fields.h"
#include "ui/dialogs/submission_preview.h"

namespace cospadi::ui {

ClusterDialog::ClusterDialog(ClusterSweeps* sweeps, const ClusterPlan& plan, QWidget* parent)
    : QDialog(parent),
      m_sweeps(sweeps),
      m_plan(plan),
      m_profile(new ClusterProfileFields),
      m_sweep(new ClusterSweepFields(plan)),
      m_preview(new SubmissionPreview) {
    setObjectName(QStringLiteral("clusterDialog"));
    setWindowTitle(tr("Run on a cluster"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 16, 18, 14);
    column->setSpacing(10);
    column->addWidget(m_profile);
    column->addWidget(m_sweep);
    column->addWidget(m_preview, 1);
    m_ask = new QPushButton(tr("Previe&w"));
    m_ask->setObjectName(QStringLiteral("clusterAsk"));
    m_ask->setAutoDefault(false);
    m_submit = new QPushButton(tr("&Submit"));
    m_submit->setObjectName(QStringLiteral("primary"));
    m_submit->setAutoDefault(false);
    auto* close = new QPushButton(tr("Close"));
    close->setAutoDefault(false);
    auto* foot = new QHBoxLayout;
    m_summary = new QLabel;
    m_summary->setObjectName(QStringLiteral("muted"));
    m_summary->setWordWrap(true);
    foot->addWidget(m_summary, 1);
    for (QPushButton* button : {m_ask, m_submit, close}) {
        foot->addWidget(button);
    }
    column->addLayout(foot);
    connect(m_ask, &QPushButton::clicked, this, &ClusterDialog::ask);
    connect(m_submit, &QPushButton::clicked, this, &ClusterDialog::submit);
    connect(close, &QPushButton::clicked, this, &QWidget::close);
    connect(sweeps, &ClusterSweeps::previewed, m_preview, &SubmissionPreview::showSubmission);
    connect(sweeps, &ClusterSweeps::previewFailed, this, &ClusterDialog::showProblem);
    connect(sweeps, &ClusterSweeps::failed, this, &ClusterDialog::showProblem);
    connect(sweeps, &ClusterSweeps::submitted, this, &QWidget::close);
    connect(m_sweep, &ClusterSweepFields::sweepNameChanged, this, &ClusterDialog::showButtons);
    showSummary();
    showButtons();
    resizeToWords(*this, 137, 42.5);
}

void ClusterDialog::takePlan(const ClusterPlan& plan) {
    m_plan = plan;
    m_sweep->takePlan(plan);
    m_sweeps->dropPreview();
    if (!m_isSubmitting) {
        m_preview->clear();  // of the plan before
    }
    showSummary();
    showButtons();
}

void ClusterDialog::showSummary() {
    m_summary->setText(m_plan.count == 0
                           ? tr("Nothing to submit: %1").arg(m_plan.problem)
                           : tr("%n run(s) from the Plan page", nullptr, m_plan.count));
}

ClusterProfile ClusterDialog::profile() const { return m_profile->profile(); }
QString ClusterDialog::sweepName() const { return m_sweep->sweepName(); }
QByteArray ClusterDialog::grid() const { return m_sweep->grid(); }

void ClusterDialog::showButtons() {
    const bool canAsk = m_plan.count > 0 && !sweepName().isEmpty();
    m_ask->setEnabled(canAsk);
    m_submit->setEnabled(canAsk && !m_isSubmitting);
}

void ClusterDialog::ask() {
    m_profile->keep();
    m_preview->setPlainText(tr("Querying …"));
    m_sweeps->preview(profile(), sweepName(), grid());
}

void ClusterDialog::submit() {
    if (!m_profile->hasName()) {
        showProblem({tr("The profile has no name"), tr("Cluster"),
                     tr("enter one, so that the sweep can be found again"), false});
        m_profile->focusName();
        return;
    }
    m_profile->keep();
    m_isSubmitting = true;  // once; a failure gives it back
    showButtons();
    m_sweeps->dropPreview();
    m_preview->setPlainText(tr("Submitting …"));
    m_sweeps->submit(profile(), sweepName(), grid());
}

void ClusterDialog::showProblem(const EngineError& error) {
    m_isSubmitting = false;
    m_preview->showProblem(error);
    showButtons();
}

}  // namespace cospadi::ui
