#include "ui/pages/monitor/queue_list.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/format.h"
#include "ui/models/job_table_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

QueueList::QueueList(RunQueue* queue, QWidget* parent)
    : QWidget(parent),
      m_queue(queue),
      m_jobs(new JobTableModel(this)),
      m_table(makeRowTable(QStringLiteral("queueTable"), tr("Runs in order"), m_jobs)),
      m_state(new ElidedLabel) {
    fitColumns(*m_table, JobTableModel::LayersColumn);
    m_state->setObjectName(QStringLiteral("muted"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_state, 1);
    const auto button = [&](const char* name, const QString& words, const QString& tip,
                            auto&& action) {
        auto* made = new QPushButton(words);
        made->setObjectName(QString::fromLatin1(name));
        made->setToolTip(tip);
        connect(made, &QPushButton::clicked, this, action);
        row->addWidget(made);
        return made;
    };
    m_earlier = button("queueEarlier", tr("Earlier"), tr("Moves the selected run up"),
                       [this] { moveChosen(-1); });
    m_later = button("queueLater", tr("Later"), tr("Moves the selected run down"),
                     [this] { moveChosen(1); });
    m_remove = button("queueRemove", tr("Remove"), tr("Removes the selected run from the list"),
                      [this] { m_queue->remove(chosenJob()); });
    m_hold = button("queueHold", tr("Hold or resume"),
                    tr("Held: the next run does not start automatically"),
                    [this] { m_queue->setHeld(!m_queue->isHeld()); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 0);
    column->addWidget(m_table, 1);
    column->addLayout(row);
    connect(queue, &RunQueue::changed, this, &QueueList::showJobs);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &QueueList::showButtons);
    showJobs();
}

int QueueList::chosenJob() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? 0 : m_jobs->jobs()[rows.first().row()].id;
}

void QueueList::moveChosen(int by) {
    m_queue->move(chosenJob(), by);  // and stays chosen
}

void QueueList::choose(int job) {
    for (int row = 0; row < m_jobs->rowCount() && job > 0; ++row) {
        if (m_jobs->jobs()[row].id == job) {
            m_table->selectRow(row);
        }
    }
}

// What goes on and waits stands above what is over.
void QueueList::showJobs() {
    const int chosen = chosenJob();
    QList<Job> jobs = m_queue->jobs();
    std::stable_partition(jobs.begin(), jobs.end(), [](const Job& job) {
        return job.state == QLatin1String("running") || job.state == QLatin1String("waiting");
    });
    m_jobs->setJobs(jobs);
    choose(chosen);
    const int waiting = m_queue->waiting();
    QString text = waiting == 0 ? tr("No runs are waiting. Lists under Sweep on the Plan page "
                                     "create many runs at once.")
                                : tr("%1 waiting").arg(waiting);
    if (waiting > 0 && m_queue->secondsLeft() >= 0) {
        text += tr(", about %1").arg(formatDuration(m_queue->secondsLeft()));
    }
    if (m_queue->isHeld() && waiting > 0) {
        text += tr(" · held");
    }
    m_state->setText(text);
    showButtons();
}

// A queue that is held stays so when its last run is removed, and can still be resumed.
void QueueList::showButtons() {
    const int chosen = chosenJob();
    QList<int> waiting;  // ids in their order
    bool isRemovable = false;
    for (const Job& job : m_queue->jobs()) {
        if (job.state == QLatin1String("waiting")) {
            waiting << job.id;
        }
        isRemovable = isRemovable || (job.id == chosen && job.state != QLatin1String("running"));
    }
    const qsizetype place = waiting.indexOf(chosen);
    m_earlier->setEnabled(place > 0);
    m_later->setEnabled(place >= 0 && place + 1 < waiting.size());
    m_remove->setEnabled(isRemovable);
    m_hold->setEnabled(!waiting.isEmpty() || m_queue->isHeld());
}

}  // namespace cospadi::ui
