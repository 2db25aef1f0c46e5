// The runs of the plan handed to a cluster: the profile of the cluster, edited in place and kept,
// the name of the sweep, what is measured of its runs, what would be submitted, Submit. Beside the
// window.
#pragma once

#include <QDialog>

#include "ui/cluster/cluster_sweeps.h"
#include "ui/engine/after_run.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace cospadi::ui {

// What is to be done: runs as a list of specifications in JSON, without their evaluation.
struct ClusterPlan {
    QByteArray runs;  // a JSON array; empty: there are none
    QString model;    // of all of them, as it is called here
    int count = 0;
    QString problem;  // why there are none
    int perplexityTokens = 8192;
    AfterRun after = {};  // as the plan says it; nothing: the perplexity
};

class ClusterDialog : public QDialog {
    Q_OBJECT

  public:
    // sweeps: not null, outlives it.
    ClusterDialog(ClusterSweeps* sweeps, const ClusterPlan& plan, QWidget* parent = nullptr);

    ClusterProfile profile() const;  // as the fields say
    QString sweepName() const;
    QByteArray grid() const;  // a sweep as JSON (docs/formats.md)

  private:
    QWidget* makeProfile();
    QWidget* makeSweep();
    void addMeasures(QFormLayout* form);
    QLabel* makeSummary() const;
    QLineEdit* addText(QFormLayout* form, const QString& label, const char* name,
                       const QString& placeholder, const QString& tip);
    QJsonObject evaluation() const;
    void showProfile(const ClusterProfile& profile);
    void chooseProfile(int row);
    void keepProfile();
    void removeProfile();
    void showButtons();
    void ask();
    void submit();
    void showPreview(const QJsonObject& submission);
    void showProblem(const EngineError& error);

    ClusterSweeps* m_sweeps;
    ClusterPlan m_plan;
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
    QLineEdit* m_sweep;
    QLineEdit* m_model;
    QCheckBox* m_perplexity;
    QLineEdit* m_tasks;
    QLineEdit* m_taskData;
    QPlainTextEdit* m_preview;
    QPushButton* m_ask;
    QPushButton* m_submit;
};

}  // namespace cospadi::ui
