#include "ui/pages/evaluate/evaluate_page.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSet>
#include <QSettings>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/format.h"
#include "ui/engine/command_line.h"
#include "ui/engine/data_fetch.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/evaluate/sample_browser.h"
#include "ui/sources/task_data.h"
#include "ui/widgets/card.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/row_table.h"

namespace cospadi::ui {

namespace {

constexpr int kUsualLimit = 200;
const char* const kDataKey = "evaluate/data";
const char* const kTasksKey = "evaluate/tasks";
const char* const kLimitKey = "evaluate/limit";

QStringList checked(const QListWidget* list) {
    QStringList words;
    for (int i = 0; i < list->count(); ++i) {
        if (list->item(i)->checkState() == Qt::Checked) {
            words << list->item(i)->data(Qt::UserRole).toString();
        }
    }
    return words;
}

QListWidgetItem* addCheckable(QListWidget* list, const QString& text, const QString& word,
                              bool isChecked) {
    auto* item = new QListWidgetItem(text, list);
    item->setData(Qt::UserRole, word);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(isChecked ? Qt::Checked : Qt::Unchecked);
    return item;
}

QLabel* caption(const QString& text, QWidget* buddy) {
    auto* label = new QLabel(text);
    label->setBuddy(buddy);
    return label;
}

}  // namespace

EvaluatePage::EvaluatePage(TaskQueue* queue, DataFetch* fetch, QWidget* parent)
    : QWidget(parent),
      m_queue(queue),
      m_fetcher(fetch),
      m_board(new TaskBoardModel(this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_messages(new MessageBar) {
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
    whole->addWidget(makeForm());
    whole->addWidget(right);
    whole->setHandleWidth(8);
    whole->setChildrenCollapsible(false);
    whole->setStretchFactor(1, 1);
    whole->setSizes({330, 1000});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addWidget(m_messages);
    column->addWidget(whole, 1);

    connect(queue, &TaskQueue::changed, this, &EvaluatePage::showQueue);
    connect(queue, &TaskQueue::failed, this,
            [this](const QString& label, const EngineError& error) {
                m_messages->show(MessageBar::Kind::Problem,
                                 tr("%1 was not evaluated: %2").arg(label, error.message),
                                 error.where, error.hint);
            });
    connect(queue, &TaskQueue::sampled, this,
            [this](const QString& label, const QStringList& tasks) {
                m_messages->show(MessageBar::Kind::Information,
                                 tr("%1: figures of a sample, not of the task: %2")
                                     .arg(label, tasks.join(QStringLiteral(", "))),
                                 {}, tr("Fetch gets the whole data sets."));
            });
    connect(m_fetcher, &DataFetch::changed, this, [this] {
        m_fetchStep.clear();
        showFetch();
    });
    connect(m_fetcher, &DataFetch::step, this, [this](const QString& text) {
        m_fetchStep = text;
        showQueue();
    });
    connect(m_fetcher, &DataFetch::fetched, this,
            [this](const QString& folder, const QStringList& tasks) {
                m_messages->show(MessageBar::Kind::Success,
                                 tr("Fetched: %1").arg(tasks.join(QStringLiteral(", "))), folder);
                updateForm();
            });
    connect(m_fetcher, &DataFetch::failed, this, [this](const EngineError& error) {
        m_messages->show(MessageBar::Kind::Problem,
                         tr("Data sets were not fetched: %1").arg(error.message), error.where,
                         error.hint);
    });
    connect(m_browser, &SampleBrowser::problem, this, &EvaluatePage::problem);
    fillModels();
    updateForm();
}

QWidget* EvaluatePage::makeForm() {
    auto* scroll = new QScrollArea;  // on a low screen
    scroll->setObjectName(QStringLiteral("plain"));
    scroll->setAccessibleName(tr("What to evaluate"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* card = new Card(tr("What to evaluate"));
    const QSettings settings;
    m_models = new QListWidget;
    m_models->setObjectName(QStringLiteral("evaluateModels"));
    m_models->setAccessibleName(tr("Models and runs"));
    m_tasks = new QListWidget;
    m_tasks->setObjectName(QStringLiteral("evaluateTasks"));
    m_tasks->setAccessibleName(tr("Tasks"));
    const QStringList usual{QStringLiteral("piqa"), QStringLiteral("arc_easy")};
    const QStringList wanted = settings.value(QLatin1String(kTasksKey), usual).toStringList();
    for (const TaskDescription& task : describedTasks()) {
        addCheckable(m_tasks, task.name, task.name, wanted.contains(task.name))
            ->setToolTip(task.description);
    }
    m_data = new QLineEdit(settings.value(QLatin1String(kDataKey)).toString());
    m_data->setObjectName(QStringLiteral("evaluateData"));
    m_data->setAccessibleName(tr("Folder with the data sets"));
    m_data->setPlaceholderText(tr("what was fetched, else samples"));
    m_data->setToolTip(
        tr("A folder with the data sets as JSON lines, or as Hugging Face's JSON (docs/formats.md "
           "lists names and fields). Empty: those that were fetched, else 100 items each of piqa, "
           "hellaswag, arc_easy and arc_challenge that ship"));
    auto* browse = new QPushButton(tr("Choose…"));
    browse->setAccessibleName(tr("Choose the folder with the data sets"));
    m_fetch = new QPushButton;
    m_fetch->setObjectName(QStringLiteral("evaluateFetch"));
    m_fetch->setToolTip(
        tr("Gets the whole data sets of the checked tasks once, from Hugging "
           "Face's hub, into your data folder. The first time makes a Python "
           "environment of about 400 MB"));
    m_limit = new QSpinBox;
    m_limit->setObjectName(QStringLiteral("evaluateLimit"));
    m_limit->setAccessibleName(tr("Items a task"));
    m_limit->setRange(0, 100'000);
    m_limit->setSingleStep(50);
    m_limit->setSpecialValueText(tr("all"));
    m_limit->setValue(settings.value(QLatin1String(kLimitKey), kUsualLimit).toInt());
    m_limit->setToolTip(
        tr("The first items of each task. 200 items leave ± 7 percentage points at 50 %; "
           "the published numbers use all"));
    m_again = new QCheckBox(tr("Ask again what is recorded"));
    m_again->setObjectName(QStringLiteral("evaluateAgain"));
    m_start = new QPushButton(tr("Evaluate"));
    m_start->setObjectName(QStringLiteral("primary"));
    m_cancel = new QPushButton(tr("Stop"));
    m_cancel->setObjectName(QStringLiteral("evaluateStop"));
    m_cancel->setToolTip(tr("Stops; tasks that have ended stay recorded"));
    m_command = new QPlainTextEdit;
    m_command->setObjectName(QStringLiteral("evaluateCommand"));
    m_command->setAccessibleName(tr("The same on the command line"));
    m_command->setReadOnly(true);
    m_command->setTabChangesFocus(true);
    m_command->setMaximumHeight(fontMetrics().height() * 4 + 12);

    auto* dataRow = new QHBoxLayout;
    dataRow->addWidget(m_data, 1);
    dataRow->addWidget(browse);
    auto* limitRow = new QHBoxLayout;
    limitRow->addWidget(caption(tr("&Items a task"), m_limit));
    limitRow->addWidget(m_limit);
    limitRow->addStretch(1);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_cancel);
    card->body()->addWidget(caption(tr("&Models and runs"), m_models));
    card->body()->addWidget(m_models, 3);
    card->body()->addWidget(caption(tr("&Tasks"), m_tasks));
    card->body()->addWidget(m_tasks, 2);
    auto* dataHead = new QHBoxLayout;
    dataHead->addWidget(caption(tr("&Data sets"), m_data), 1);
    dataHead->addWidget(m_fetch);
    card->body()->addLayout(dataHead);
    card->body()->addLayout(dataRow);
    card->body()->addLayout(limitRow);
    card->body()->addWidget(m_again);
    card->body()->addLayout(buttons);
    card->body()->addWidget(caption(tr("&Command"), m_command));
    card->body()->addWidget(m_command);

    for (QListWidget* list : {m_models, m_tasks}) {
        list->setTextElideMode(Qt::ElideMiddle);
        list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        connect(list, &QListWidget::itemChanged, this, &EvaluatePage::updateForm);
    }
    connect(m_data, &QLineEdit::textChanged, this, &EvaluatePage::updateForm);
    connect(m_limit, &QSpinBox::valueChanged, this, &EvaluatePage::updateForm);
    connect(m_again, &QCheckBox::toggled, this, &EvaluatePage::updateForm);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(
            this, tr("Folder with the data sets"), m_data->text());
        if (!folder.isEmpty()) {
            m_data->setText(folder);
        }
    });
    connect(m_fetch, &QPushButton::clicked, this, &EvaluatePage::fetchData);
    connect(m_start, &QPushButton::clicked, this, &EvaluatePage::start);
    connect(m_cancel, &QPushButton::clicked, m_queue, &TaskQueue::cancelAll);
    scroll->setWidget(card);
    scroll->setMinimumWidth(card->minimumSizeHint().width());
    return scroll;
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
    for (int column = 0; column < TaskBoardModel::StateColumn; ++column) {
        m_table->setColumnWidth(
            column, fontMetrics().horizontalAdvance(QString::fromUtf8(usual[column])) + 18);
    }
    card->headerRow()->addWidget(m_progress);
    card->body()->addWidget(m_table, 1);
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
        fillModels();
        m_board->setStored(m_runs);
        m_browser->setRows(m_board->rows());
        updateForm();
    }
}

void EvaluatePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    bringUpToDate();
}

void EvaluatePage::setData(const QString& folder) { m_data->setText(folder); }

void EvaluatePage::chooseTasks(const QStringList& tasks) {
    for (int i = 0; i < m_tasks->count(); ++i) {
        m_tasks->item(i)->setCheckState(tasks.contains(m_tasks->item(i)->text()) ? Qt::Checked
                                                                                 : Qt::Unchecked);
    }
}

void EvaluatePage::chooseAllModels() {
    bringUpToDate();
    for (int i = 0; i < m_models->count(); ++i) {
        m_models->item(i)->setCheckState(Qt::Checked);
    }
}

void EvaluatePage::fillModels() {
    const QSignalBlocker blocked(m_models);
    const QStringList before = checked(m_models);
    m_models->clear();
    if (!m_modelPath.isEmpty()) {
        addCheckable(m_models, tr("dense: %1").arg(m_modelLabel), m_modelPath,
                     before.isEmpty() || before.contains(m_modelPath));
    }
    QSet<QString> seen;
    for (const RunRow& run : m_runs) {
        if (run.status != "finished" || run.method == "dense" || run.method == "external") {
            continue;
        }
        const QString directory = QString::fromStdString(run.directory);
        QString words = QStringLiteral("%1  %2").arg(evaluatedModelLabel(run),
                                                     QString::fromStdString(run.layers));
        if (seen.contains(words)) {
            words += QStringLiteral("  ") + QString::fromStdString(run.id);
        }
        seen.insert(words);
        addCheckable(m_models, words, directory, before.contains(directory))->setToolTip(directory);
    }
}

QList<TaskJob> EvaluatePage::planned() const {
    QList<TaskJob> jobs;
    for (int i = 0; i < m_models->count(); ++i) {
        const QListWidgetItem* item = m_models->item(i);
        if (item->checkState() == Qt::Checked) {
            TaskJob job;
            job.model = item->data(Qt::UserRole).toString();
            job.label = job.model == m_modelPath ? tr("dense") : item->text().section("  ", 0, 0);
            job.tasks = checked(m_tasks);
            job.data = m_data->text().trimmed();
            job.limit = m_limit->value();
            job.again = m_again->isChecked();
            jobs.append(job);
        }
    }
    return jobs;
}

void EvaluatePage::start() {
    bringUpToDate();
    QSettings settings;
    settings.setValue(QLatin1String(kDataKey), m_data->text().trimmed());
    settings.setValue(QLatin1String(kTasksKey), checked(m_tasks));
    settings.setValue(QLatin1String(kLimitKey), m_limit->value());
    m_queue->forgetEnded();
    m_queue->add(planned());
}

void EvaluatePage::updateForm() {
    const QList<TaskJob> jobs = planned();
    const QString problem = checkProblem(jobs);
    m_start->setEnabled(problem.isEmpty());
    m_start->setToolTip(problem.isEmpty() ? tr("Evaluates every checked model on every task")
                                          : problem);
    QStringList lines;
    for (const TaskJob& job : jobs) {
        lines << taskCommand(job);
    }
    m_command->setPlainText(problem.isEmpty() ? lines.join('\n') : problem);
    showFetch();
}

QString EvaluatePage::checkProblem(const QList<TaskJob>& jobs) const {
    if (jobs.isEmpty()) {
        return tr("Check a model or run first");
    }
    if (jobs.front().tasks.isEmpty()) {
        return tr("Check a task first");
    }
    const QStringList absent =
        m_data->text().trimmed().isEmpty() ? tasksWithoutData(jobs.front().tasks) : QStringList();
    return absent.isEmpty() ? QString()
                            : tr("No data of %1: fetch it, or name a folder that has it")
                                  .arg(absent.join(QStringLiteral(", ")));
}

void EvaluatePage::fetchData() {
    if (m_fetcher->isActive()) {
        m_fetcher->cancel();
    } else {
        m_fetcher->start(checked(m_tasks));
    }
}

void EvaluatePage::showFetch() {
    const bool isActive = m_fetcher->isActive();
    m_fetch->setText(isActive ? tr("Stop fetching") : tr("Fetch"));
    m_fetch->setEnabled(isActive || !checked(m_tasks).isEmpty());
    showQueue();
}

void EvaluatePage::showQueue() {
    m_board->setJobs(m_queue->jobs());
    m_cancel->setEnabled(m_queue->isActive());
    int waiting = 0;
    QString now;
    for (const TaskJob& job : m_queue->jobs()) {
        waiting += job.state == TaskJob::State::Waiting ? 1 : 0;
        if (job.state == TaskJob::State::Running) {
            now = job.total > 0 ? tr("%1: %2 of %3 items, %4 left")
                                      .arg(job.label)
                                      .arg(job.done)
                                      .arg(job.total)
                                      .arg(job.etaSeconds >= 0 ? formatDuration(job.etaSeconds)
                                                               : tr("time unknown"))
                                : tr("%1: the model loads").arg(job.label);
        }
    }
    if (!now.isEmpty() && waiting > 0) {
        now += tr(" · waiting: %1").arg(waiting);
    }
    m_progress->setText(!now.isEmpty()            ? now
                        : m_fetcher->isActive()   ? tr("Data sets: %1").arg(m_fetchStep)
                        : m_board->rows().empty() ? tr("Nothing is evaluated yet")
                                                  : QString());
}

}  // namespace cospadi::ui
