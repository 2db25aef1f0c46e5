#include "ui/pages/evaluate/evaluate_page.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/font_units.h"
#include "ui/base/format.h"
#include "ui/engine/data_fetch.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/evaluate/evaluate_form.h"
#include "ui/pages/evaluate/sample_browser.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

EvaluatePage::EvaluatePage(TaskQueue* queue, DataFetch* fetch, MessageBar* messages,
                           QWidget* parent)
    : QWidget(parent),
      m_queue(queue),
      m_fetcher(fetch),
      m_board(new TaskBoardModel(this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_messages(messages),
      m_form(new EvaluateForm) {
    auto* right = new QSplitter(Qt::Vertical);
    right->setObjectName(QStringLiteral("evaluateResultsSplitter"));
    m_browser = new SampleBrowser;
    right->addWidget(makeBoard());
    right->addWidget(m_browser);
    right->setHandleWidth(8);
    right->setChildrenCollapsible(false);
    right->setSizes({360, 400});
    auto* whole = new QSplitter(Qt::Horizontal);
    whole->setObjectName(QStringLiteral("evaluateSplitter"));
    whole->addWidget(m_form);
    whole->addWidget(right);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    whole->setStretchFactor(1, 1);
    whole->setSizes({charactersWide(font(), 55), charactersWide(font(), 167)});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(whole, 1);

    connect(queue, &TaskQueue::changed, this, &EvaluatePage::showQueue);
    connect(queue, &TaskQueue::failed, this,
            [this](const QString& label, const EngineError& error) {
                m_messages->show(MessageBar::Kind::Problem,
                                 tr("%1 was not evaluated: %2").arg(label, error.message),
                                 error.where, error.hint);
            });
    connect(
        queue, &TaskQueue::unrecorded, this, [this](const QString& label, const QString& warning) {
            m_messages->show(
                MessageBar::Kind::Problem,
                tr("The results of %1 are missing from the stored runs: %2").arg(label, warning));
        });
    connect(queue, &TaskQueue::sampled, this,
            [this](const QString& label, const QStringList& tasks) {
                m_messages->show(MessageBar::Kind::Information,
                                 tr("%1: results on a sample, not on the whole task: %2")
                                     .arg(label, tasks.join(QStringLiteral(", "))),
                                 {}, tr("Fetch downloads the whole data sets."),
                                 QStringLiteral("sampled"));
            });
    connect(m_fetcher, &DataFetch::changed, this, [this] {
        m_fetchStep.clear();
        m_form->setFetching(m_fetcher->isActive());
        showQueue();
    });
    connect(m_fetcher, &DataFetch::step, this, [this](const QString& text) {
        m_fetchStep = text;
        showQueue();
    });
    connect(m_fetcher, &DataFetch::fetched, this,
            [this](const QString& folder, const QStringList& tasks) {
                m_messages->show(MessageBar::Kind::Success,
                                 tr("Fetched: %1").arg(tasks.join(QStringLiteral(", "))), folder,
                                 {}, QStringLiteral("fetched"));
                m_form->check();
            });
    connect(m_fetcher, &DataFetch::failed, this, [this](const EngineError& error) {
        m_messages->show(MessageBar::Kind::Problem,
                         tr("Data sets were not fetched: %1").arg(error.message), error.where,
                         error.hint);
    });
    connect(m_browser, &SampleBrowser::problem, this,
            [this](const QString& what, const QString& where, const QString& hint) {
                m_messages->show(MessageBar::Kind::Problem, what, where, hint);
            });
    connect(m_form, &EvaluateForm::startWanted, this, &EvaluatePage::start);
    connect(m_form, &EvaluateForm::stopWanted, m_queue, &TaskQueue::cancelAll);
    connect(m_form, &EvaluateForm::heldStartWanted, m_queue, &TaskQueue::startHeld);
    connect(m_form, &EvaluateForm::heldForgetWanted, m_queue, &TaskQueue::forgetHeld);
    connect(m_form, &EvaluateForm::fetchWanted, this, &EvaluatePage::fetchData);
    m_form->setFetching(m_fetcher->isActive());
    m_form->check();
    showQueue();
}

QWidget* EvaluatePage::makeBoard() {
    auto* card = new Card(tr("Results"));
    card->setNote(tr("in parentheses and after ±: the 95 % interval"));
    m_progress = new QLabel;
    m_progress->setObjectName(QStringLiteral("muted"));
    m_sorted->setSourceModel(m_board);
    m_sorted->setSortRole(TaskBoardModel::SortRole);
    m_table = makeRowTable(QStringLiteral("taskBoard"), tr("Accuracy by model and task"), m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    const char* usual[] = {"cospadi (fast, target), CR 0.20",
                           "arc_challenge",
                           "0.640 (0.57–0.70)",
                           "0.640 (0.57–0.70)",
                           "54.71 ± 23.54",
                           "10 042"};
    const auto needed = [&](int column) {
        return fontMetrics().horizontalAdvance(QString::fromUtf8(usual[column])) + 18;
    };
    int widest = 0;  // number
    for (int column = TaskBoardModel::AccuracyColumn; column <= TaskBoardModel::ItemsColumn;
         ++column) {
        widest = std::max(widest, needed(column));
    }
    for (int column = 0; column < TaskBoardModel::StateColumn; ++column) {
        m_table->setColumnWidth(column,
                                column < TaskBoardModel::AccuracyColumn ? needed(column) : widest);
    }
    card->headerRow()->addWidget(m_progress);
    m_shown = new QStackedWidget;
    m_shown->addWidget(m_table);
    m_shown->addWidget(makeEmptyState());
    card->body()->addWidget(m_shown, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) {
                if (current.isValid()) {
                    const TaskBoardRow& row = m_board->at(m_sorted->mapToSource(current).row());
                    if (!row.directory.isEmpty()) {
                        m_browser->showTask(row);
                    }
                }
            });
    return card;
}

QWidget* EvaluatePage::makeEmptyState() {
    auto* empty = new EmptyState;
    empty->setObjectName(QStringLiteral("evaluateEmpty"));
    empty->setWords(
        tr("Nothing evaluated yet"),
        tr("This shows how many items of each task a model answers correctly, with the 95 % "
           "interval, and every item below. The bundled 100 items each of four tasks take a "
           "minute; published figures need the whole data sets, which are fetched once."));
    m_startAtHand =
        empty->addAction({"evaluateAtHand", tr("Evaluate with available &data"),
                          tr("The checked tasks, on fetched data or else the bundled samples")});
    m_fetchFirst =
        empty->addAction({"evaluateFetchFirst", tr("Fetch the &whole data sets"),
                          tr("For the checked tasks, as cospadi data fetch does; the first time, "
                             "this also creates a Python environment of about 400 MB")});
    connect(m_startAtHand, &QPushButton::clicked, this, &EvaluatePage::startWithWhatIsAtHand);
    connect(m_fetchFirst, &QPushButton::clicked, this, &EvaluatePage::fetchData);
    return empty;
}

void EvaluatePage::startWithWhatIsAtHand() {
    m_form->chooseWhatIsAtHand();
    if (m_form->startButton()->isEnabled()) {
        start();
    }
}

void EvaluatePage::setModel(const QString& path, const QString& label) {
    m_modelPath = path;
    m_modelLabel = label;
    refresh();
}

void EvaluatePage::setRuns(const std::vector<RunRow>& runs) {
    m_runs = runs;
    refresh();
}

// Ten thousand runs are listed once somebody looks.
void EvaluatePage::refresh() {
    m_stale = true;
    if (isVisible()) {
        bringUpToDate();
    }
}

void EvaluatePage::bringUpToDate() {
    if (std::exchange(m_stale, false)) {
        m_form->setModels(m_modelPath, m_modelLabel, m_runs);
        m_board->setStored(m_runs);
        m_browser->setRows(m_board->rows());
        m_form->check();
        showQueue();
    }
}

void EvaluatePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    bringUpToDate();
}

void EvaluatePage::setData(const QString& folder) { m_form->setData(folder); }

void EvaluatePage::chooseTasks(const QStringList& tasks) { m_form->chooseTasks(tasks); }

void EvaluatePage::chooseRuns(const QStringList& directories) {
    bringUpToDate();
    m_form->chooseRuns(directories);
}

QPushButton* EvaluatePage::startButton() const { return m_form->startButton(); }

TaskJob EvaluatePage::question() const { return m_form->question(); }

void EvaluatePage::remember() const { m_form->remember(); }

void EvaluatePage::start() {
    bringUpToDate();
    m_form->remember();
    m_queue->forgetEnded();
    m_queue->add(m_form->jobs());
}

void EvaluatePage::fetchData() {
    if (m_fetcher->isActive()) {
        m_fetcher->cancel();
    } else {
        m_fetcher->start(m_form->tasks());
    }
}

void EvaluatePage::showQueue() {
    m_board->setJobs(m_queue->jobs());
    m_form->setEvaluating(m_queue->isActive());
    m_form->setHeld(m_queue->held());
    int waiting = 0;
    QString now;
    for (const TaskJob& job : m_queue->jobs()) {
        waiting += job.state == TaskJob::State::Waiting ? 1 : 0;
        if (job.state == TaskJob::State::Running) {
            now = job.total > 0
                      ? tr("%1: %2 of %3 items").arg(job.label).arg(job.done).arg(job.total)
                      : tr("%1: loading the model").arg(job.label);
            if (job.total > 0 && job.etaSeconds >= 0) {
                now += tr(", %1 left").arg(formatDuration(job.etaSeconds));
            }
        }
    }
    if (!now.isEmpty() && waiting > 0) {
        now += tr(" · waiting: %1").arg(waiting);
    }
    m_progress->setText(!now.isEmpty()          ? now
                        : m_fetcher->isActive() ? tr("Data sets: %1").arg(m_fetchStep)
                                                : QString());
    m_shown->setCurrentIndex(m_board->rows().empty() ? 1 : 0);
    m_startAtHand->setEnabled(!m_modelPath.isEmpty() || !m_runs.empty());
    m_fetchFirst->setText(m_fetcher->isActive() ? tr("Stop fetching")
                                                : tr("Fetch the &whole data sets"));
}

}  // namespace cospadi::ui
