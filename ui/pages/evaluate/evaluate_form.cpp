#include "ui/pages/evaluate/evaluate_form.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSet>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <utility>

#include "core/store/stated_compression.h"
#include "ui/models/run_looks.h"
#include "ui/models/setting_words.h"
#include "ui/models/task_board_model.h"
#include "ui/sources/task_data.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

namespace cospadi::ui {

namespace {

constexpr int kUsualLimit = 200;
const char* const kDataKey = "evaluate/data";
const char* const kTasksKey = "evaluate/tasks";
const char* const kLimitKey = "evaluate/limit";

QStringList usualTasks() { return {QStringLiteral("piqa"), QStringLiteral("arc_easy")}; }

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

EvaluateForm::EvaluateForm(QWidget* parent) : QScrollArea(parent) {  // scrolls on a low screen
    setObjectName(QStringLiteral("plain"));
    setAccessibleName(tr("What to evaluate"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    makeLists();
    makeDataFields();
    makeButtons();
    connectFields();
    arrange();
}

void EvaluateForm::makeLists() {
    m_models = new QListWidget;
    m_models->setObjectName(QStringLiteral("evaluateModels"));
    m_models->setAccessibleName(tr("Models and runs"));
    m_tasks = new QListWidget;
    m_tasks->setObjectName(QStringLiteral("evaluateTasks"));
    m_tasks->setAccessibleName(tr("Tasks"));
    const QStringList wanted =
        QSettings().value(QLatin1String(kTasksKey), usualTasks()).toStringList();
    for (const TaskDescription& task : describedTasks()) {
        addCheckable(m_tasks, task.name, task.name, wanted.contains(task.name))
            ->setToolTip(task.description);
    }
    for (QListWidget* list : {m_models, m_tasks}) {
        list->setTextElideMode(Qt::ElideMiddle);
        list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }
}

void EvaluateForm::makeDataFields() {
    m_data = new QLineEdit(QSettings().value(QLatin1String(kDataKey)).toString());
    m_data->setObjectName(QStringLiteral("evaluateData"));
    m_data->setAccessibleName(tr("Folder with the data sets"));
    m_data->setPlaceholderText(tr("fetched data, else samples"));
    m_data->setToolTip(
        tr("A folder with the data sets as JSON lines, or as Hugging Face's JSON (docs/formats.md "
           "lists names and fields). Empty: the fetched ones, else the bundled 100 items each of "
           "piqa, hellaswag, arc_easy and arc_challenge"));
    m_browse = new QPushButton(tr("Choose…"));
    m_browse->setAccessibleName(tr("Choose the folder with the data sets"));
    m_fetch = new QPushButton;
    m_fetch->setObjectName(QStringLiteral("evaluateFetch"));
    m_fetch->setToolTip(
        tr("Downloads the whole data sets of the checked tasks once from the Hugging Face Hub into "
           "your data folder. The first time, this creates a Python environment of about 400 MB"));
    m_limit = new QSpinBox;
    m_limit->setObjectName(QStringLiteral("evaluateLimit"));
    m_limit->setAccessibleName(tr("Items per task"));
    m_limit->setRange(0, 100'000);
    m_limit->setSingleStep(50);
    m_limit->setSpecialValueText(tr("all"));
    m_limit->setValue(QSettings().value(QLatin1String(kLimitKey), kUsualLimit).toInt());
    m_limit->setToolTip(
        tr("The first items of each task. 200 items leave an uncertainty of ± 7 percentage points "
           "at 50 %; published numbers use all items"));
}

void EvaluateForm::makeButtons() {
    m_again = new QCheckBox(tr("Repeat recorded tasks"));
    m_again->setObjectName(QStringLiteral("evaluateAgain"));
    m_start = new QPushButton(tr("Evaluate"));
    m_start->setObjectName(QStringLiteral("primary"));
    m_stop = new QPushButton(tr("Stop"));
    m_stop->setObjectName(QStringLiteral("evaluateStop"));
    m_stop->setToolTip(tr("Stops; results of finished tasks are kept"));
    m_command = new QPlainTextEdit;
    m_command->setObjectName(QStringLiteral("evaluateCommand"));
    m_command->setAccessibleName(tr("The same on the command line"));
    m_command->setReadOnly(true);
    m_command->setTabChangesFocus(true);
    m_command->setMaximumHeight(fontMetrics().height() * 4 + 12);
}

// What an earlier window left may wait long after the message about it is closed.
QWidget* EvaluateForm::makeHeldRow() {
    m_heldRow = new QWidget;
    m_heldWords = new ElidedLabel;
    m_heldWords->setObjectName(QStringLiteral("evaluateHeld"));
    auto* row = new QHBoxLayout(m_heldRow);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_heldWords, 1);
    const auto button = [&](const char* name, const QString& words, const QString& tip,
                            auto wanted) {
        auto* made = new QPushButton(words);
        made->setObjectName(QString::fromLatin1(name));
        made->setToolTip(tip);
        connect(made, &QPushButton::clicked, this, wanted);
        row->addWidget(made);
    };
    button("evaluateHeldStart", tr("Start"),
           tr("Starts the evaluations that were still waiting when the window was closed"),
           &EvaluateForm::heldStartWanted);
    button("evaluateHeldForget", tr("Forget"),
           tr("Removes the evaluations that were still waiting when the window was closed"),
           &EvaluateForm::heldForgetWanted);
    m_heldRow->hide();
    return m_heldRow;
}

void EvaluateForm::arrange() {
    auto* card = new Card(tr("What to evaluate"));
    auto* dataRow = new QHBoxLayout;
    dataRow->addWidget(m_data, 1);
    dataRow->addWidget(m_browse);
    auto* limitRow = new QHBoxLayout;
    limitRow->addWidget(caption(tr("&Items per task"), m_limit));
    limitRow->addWidget(m_limit);
    limitRow->addStretch(1);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_stop);
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
    card->body()->addWidget(makeHeldRow());
    card->body()->addWidget(caption(tr("&Command"), m_command));
    card->body()->addWidget(m_command);
    setWidget(card);
    setMinimumWidth(card->minimumSizeHint().width());
}

void EvaluateForm::connectFields() {
    for (QListWidget* list : {m_models, m_tasks}) {
        connect(list, &QListWidget::itemChanged, this, &EvaluateForm::check);
    }
    connect(m_data, &QLineEdit::textChanged, this, &EvaluateForm::check);
    connect(m_limit, &QSpinBox::valueChanged, this, &EvaluateForm::check);
    connect(m_again, &QCheckBox::toggled, this, &EvaluateForm::check);
    connect(m_browse, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(
            this, tr("Folder with the data sets"), m_data->text());
        if (!folder.isEmpty()) {
            m_data->setText(folder);
        }
    });
    connect(m_fetch, &QPushButton::clicked, this, &EvaluateForm::fetchWanted);
    connect(m_start, &QPushButton::clicked, this, &EvaluateForm::startWanted);
    connect(m_stop, &QPushButton::clicked, this, &EvaluateForm::stopWanted);
}

void EvaluateForm::setModels(const QString& path, const QString& label,
                             const std::vector<RunRow>& runs) {
    const QString former = std::exchange(m_modelPath, path);
    const QSignalBlocker blocked(m_models);
    const QStringList before = checked(m_models);
    m_models->clear();
    if (!m_modelPath.isEmpty()) {  // takes the place of the former one, with its tick
        addCheckable(m_models, tr("dense: %1").arg(label), m_modelPath,
                     former.isEmpty() ? before.isEmpty() : before.contains(former));
    }
    QSet<QString> seen;
    for (const RunRow& run : runs) {
        if (run.status != "finished" || run.method == "dense" || run.method == kExternalMethod) {
            continue;
        }
        const QString directory = QString::fromStdString(run.directory);
        const QString layers = wordsOfSetting("layers", run.layers);
        QString words = QStringLiteral("%1  %2").arg(evaluatedModelLabel(run), layers);
        if (seen.contains(words)) {
            words = QStringLiteral("%1  %2").arg(nameOf(run), layers);
        }
        seen.insert(words);
        addCheckable(m_models, words, directory, before.contains(directory))->setToolTip(directory);
    }
}

void EvaluateForm::setData(const QString& folder) { m_data->setText(folder); }

void EvaluateForm::chooseTasks(const QStringList& tasks) {
    for (int i = 0; i < m_tasks->count(); ++i) {
        m_tasks->item(i)->setCheckState(tasks.contains(m_tasks->item(i)->text()) ? Qt::Checked
                                                                                 : Qt::Unchecked);
    }
}

void EvaluateForm::chooseWhatIsAtHand() {
    m_data->clear();
    QStringList wanted = tasks();
    for (const QString& absent : tasksWithoutData(wanted)) {
        wanted.removeAll(absent);
    }
    chooseTasks(wanted.isEmpty() ? usualTasks() : wanted);
    if (m_models->count() > 0 && checked(m_models).isEmpty()) {
        m_models->item(0)->setCheckState(Qt::Checked);
    }
}

void EvaluateForm::chooseRuns(const QStringList& directories) {
    for (int i = 0; i < m_models->count(); ++i) {
        QListWidgetItem* item = m_models->item(i);
        const QString model = item->data(Qt::UserRole).toString();
        item->setCheckState(model == m_modelPath || directories.contains(model) ? Qt::Checked
                                                                                : Qt::Unchecked);
    }
}

QStringList EvaluateForm::tasks() const { return checked(m_tasks); }

QList<TaskJob> EvaluateForm::jobs() const {
    QList<TaskJob> jobs;
    for (int i = 0; i < m_models->count(); ++i) {
        const QListWidgetItem* item = m_models->item(i);
        if (item->checkState() == Qt::Checked) {
            TaskJob job = question();
            job.model = item->data(Qt::UserRole).toString();
            job.label = job.model == m_modelPath ? tr("dense") : item->text().section("  ", 0, 0);
            jobs.append(job);
        }
    }
    return jobs;
}

TaskJob EvaluateForm::question() const {
    TaskJob job;
    job.tasks = tasks();
    job.data = m_data->text().trimmed();
    job.limit = m_limit->value();
    job.again = m_again->isChecked();
    return job;
}

void EvaluateForm::remember() const {
    QSettings settings;
    settings.setValue(QLatin1String(kDataKey), m_data->text().trimmed());
    settings.setValue(QLatin1String(kTasksKey), tasks());
    settings.setValue(QLatin1String(kLimitKey), m_limit->value());
}

void EvaluateForm::check() {
    const QList<TaskJob> planned = jobs();
    const QString problem = problemOf(planned);
    m_start->setEnabled(problem.isEmpty());
    m_start->setToolTip(problem.isEmpty() ? tr("Evaluates every checked model on every task")
                                          : problem);
    QStringList lines;
    for (const TaskJob& job : planned) {
        lines << taskCommand(job);
    }
    m_command->setPlainText(problem.isEmpty() ? lines.join('\n') : problem);
    setFetching(m_fetching);
}

QString EvaluateForm::problemOf(const QList<TaskJob>& jobs) const {
    if (jobs.isEmpty()) {
        return tr("Check a model or run first");
    }
    if (jobs.front().tasks.isEmpty()) {
        return tr("Check a task first");
    }
    const QStringList absent =
        m_data->text().trimmed().isEmpty() ? tasksWithoutData(jobs.front().tasks) : QStringList();
    return absent.isEmpty() ? QString()
                            : tr("No data for %1: fetch it, or set a folder that contains it")
                                  .arg(absent.join(QStringLiteral(", ")));
}

void EvaluateForm::setFetching(bool on) {
    m_fetching = on;
    m_fetch->setText(on ? tr("Stop fetching") : tr("Fetch"));
    m_fetch->setEnabled(on || !tasks().isEmpty());
}

void EvaluateForm::setEvaluating(bool on) { m_stop->setEnabled(on); }

void EvaluateForm::setHeld(int jobs) {
    m_heldWords->setText(tr("Still waiting: %1").arg(jobs));
    m_heldRow->setVisible(jobs > 0);
}

}  // namespace cospadi::ui
