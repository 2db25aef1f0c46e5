#include "ui/pages/monitor/cluster_list.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/font_units.h"
#include "ui/models/cluster_job_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

namespace {
// Of the table, on a low screen: two rows of buttons are around it.
constexpr double kLeastLines = 3.4;
}  // namespace

ClusterList::ClusterList(ClusterSweeps* sweeps, QWidget* parent)
    : QWidget(parent),
      m_sweeps(sweeps),
      m_jobs(new ClusterJobModel(this)),
      m_box(new QComboBox),
      m_table(makeRowTable(QStringLiteral("clusterTable"), tr("Jobs of the sweep"), m_jobs)),
      m_state(new ElidedLabel) {
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setMinimumHeight(linesHigh(font(), kLeastLines));
    fitColumns(*m_table, ClusterJobModel::WordsColumn);
    m_box->setObjectName(QStringLiteral("clusterSweep"));
    m_box->setAccessibleName(tr("Sweep on a cluster"));
    m_box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_state->setObjectName(QStringLiteral("muted"));
    auto* head = new QHBoxLayout;
    head->addWidget(m_box, 1);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_state, 1);
    const auto button = [&](QHBoxLayout* row, const char* name, const QString& words,
                            const QString& tip, auto&& action) {
        auto* made = new QPushButton(words);
        made->setObjectName(QString::fromLatin1(name));
        made->setToolTip(tip);
        connect(made, &QPushButton::clicked, this, action);
        row->addWidget(made);
        return made;
    };
    button(head, "clusterSubmit", tr("Submit a plan…"),
           tr("Submits the runs of the Plan page to a cluster"),
           [this] { emit submissionWanted(); });
    m_forget = button(head, "clusterForget", tr("Forget"),
                      tr("Removes the sweep from this list; its runs and jobs are not affected"),
                      [this] { m_sweeps->forget(chosen()); });
    m_watch = button(foot, "clusterWatch", tr("Watch"),
                     tr("Shows the selected job instead of the live run"), [this] { watch(); });
    m_cancel = button(
        foot, "clusterCancel", tr("Cancel"),
        tr("Cancels the selected jobs, or all if none is selected; finished matrices are kept"),
        [this] { m_sweeps->cancel(chosen(), chosenJobs()); });
    m_start = button(foot, "clusterStart", tr("Start what is missing"),
                     tr("Submits what is neither done nor running nor queued"),
                     [this] { m_sweeps->startMissing(chosen()); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 0);
    column->addLayout(head);
    column->addWidget(m_table, 1);
    column->addLayout(foot);
    connect(m_box, &QComboBox::currentIndexChanged, this, &ClusterList::showJobs);
    connect(m_table, &QTableView::doubleClicked, this, &ClusterList::watch);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ClusterList::showJobs);
    connect(sweeps, &ClusterSweeps::changed, this, &ClusterList::showSweeps);
    showSweeps();
}

void ClusterList::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_sweeps->look();
}

QString ClusterList::chosen() const { return m_box->currentData().toString(); }

void ClusterList::choose(const QString& file) {
    m_box->setCurrentIndex(std::max(m_box->findData(file), 0));
}

QList<int> ClusterList::chosenJobs() const {
    QList<int> jobs;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    for (const QModelIndex& row : rows) {
        jobs << m_jobs->jobs()[row.row()].index;
    }
    return jobs;
}

// Also by a double click, whatever the button says.
void ClusterList::watch() {
    if (!m_watch->isEnabled()) {
        return;
    }
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (rows.size() == 1 && !chosen().isEmpty()) {
        emit watchWanted(chosen(), m_jobs->jobs()[rows.first().row()]);
    }
}

void ClusterList::showSweeps() {
    const QString before = chosen();
    {
        const QSignalBlocker blocker(m_box);
        m_box->clear();
        for (const ClusterSweep& sweep : m_sweeps->sweeps()) {
            m_box->addItem(sweep.profile.name.isEmpty()
                               ? sweep.name
                               : tr("%1 on %2").arg(sweep.name, sweep.profile.name),
                           sweep.file);
            m_box->setItemData(m_box->count() - 1, sweep.file, Qt::ToolTipRole);
        }
        if (const int row = m_box->findData(before); row >= 0) {
            m_box->setCurrentIndex(row);
        }
    }
    showJobs();
}

void ClusterList::showJobs() {
    const ClusterSweep* sweep = m_sweeps->find(chosen());
    m_jobs->setJobs(sweep != nullptr ? sweep->jobs : QList<ClusterJob>());
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    const bool isOne = rows.size() == 1;
    const bool hasBegun =
        isOne && m_jobs->jobs()[rows.first().row()].state != QLatin1String("waiting");
    m_box->setEnabled(sweep != nullptr);
    m_forget->setEnabled(sweep != nullptr);
    m_watch->setEnabled(hasBegun);
    m_cancel->setEnabled(sweep != nullptr && !sweep->isOver());
    m_start->setEnabled(sweep != nullptr && sweep->hasLeft());
    if (sweep == nullptr) {
        m_state->setText(tr("No sweep has been submitted to a cluster yet."));
        return;
    }
    if (!sweep->problem.message.isEmpty()) {
        m_state->setText(tr("No answer: %1 (%2)").arg(sweep->problem.message, sweep->problem.hint));
        return;
    }
    QStringList counts{
        tr("%1 of %2 done").arg(sweep->count(QStringLiteral("done"))).arg(sweep->jobs.size())};
    const auto add = [&](const char* state, const QString& words) {
        if (const int count = sweep->count(QString::fromLatin1(state)); count > 0) {
            counts << words.arg(count);
        }
    };
    add("running", tr("%1 running"));
    add("waiting", tr("%1 waiting"));
    add("failed", tr("%1 failed"));
    add("lost", tr("%1 lost"));
    m_state->setText(sweep->jobs.isEmpty() ? tr("Querying …") : counts.join(QStringLiteral(", ")));
}

}  // namespace cospadi::ui
