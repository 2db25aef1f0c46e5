#include "ui/run_measures.h"

#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <utility>

#include "core/base/resources.h"
#include "core/explore/whole_model.h"
#include "core/run/evaluate_run.h"
#include "ui/base/format.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/task_queue.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

constexpr const char* kMeasuredText = "wikitext2";  // but of what was predicted

// Topics of messages.
const QString kPerplexity = QStringLiteral("perplexity");
const QString kTasks = QStringLiteral("tasks");  // that are asked because a run is finished
const QString kLeftTasks = QStringLiteral("left tasks");  // by an earlier window

int tokensToMeasure() { return QSettings().value(QStringLiteral("evaluate/tokens"), 8192).toInt(); }

bool isMeasured(const RunRow& run, int tokens) {
    const std::string text = namedText(kMeasuredText).string();
    return std::any_of(run.evaluations.begin(), run.evaluations.end(),
                       [&](const EvaluationRow& evaluation) {
                           return evaluation.text == text && evaluation.maxTokens == tokens &&
                                  evaluation.context == PerplexityMeasurement::kContext &&
                                  evaluation.score == "all";
                       });
}

// By the run's own files: the list of runs may be older.
bool isRecorded(const QString& directory, int tokens) {
    EvaluationRequest request;
    request.model = directory.toStdString();
    request.text = namedText(kMeasuredText);
    request.options.context = PerplexityMeasurement::kContext;
    request.options.maxTokens = tokens;
    return recordedPerplexity(request).has_value();
}

}  // namespace

RunMeasures::RunMeasures(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
    connectPerplexity();
    connect(parts.queue, &RunQueue::measuresDue, this, &RunMeasures::takeFinished);
    connect(parts.run, &RunController::runFinished, this, [this](const QString& status) {
        if (status == QLatin1String("finished")) {
            holdAgainstPrediction();
        }
    });
    connect(parts.tasks, &TaskQueue::changed, this, [this] {
        if (!isAskingTasks()) {
            m_parts.messages->withdraw(kTasks);
            m_parts.queue->endMeasures(RunQueue::Measure::Tasks);
        }
        if (m_parts.tasks->held() == 0) {  // the Evaluate page was quicker
            m_parts.messages->withdraw(kLeftTasks);
        }
        letQueueGoOn();
    });
}

void RunMeasures::connectPerplexity() {
    const PerplexityMeasurement* perplexity = m_parts.perplexity;
    connect(perplexity, &PerplexityMeasurement::progressed, this,
            [this, perplexity](qint64 done, qint64 total) {
                const QString tokens =
                    tr("Measuring perplexity: %1 of %2 tokens").arg(done).arg(total);
                m_parts.messages->retell(kPerplexity, perplexity->count() == 1
                                                          ? tokens
                                                          : tr("%1, run %2 of %3")
                                                                .arg(tokens)
                                                                .arg(perplexity->number())
                                                                .arg(perplexity->count()));
            });
    connect(perplexity, &PerplexityMeasurement::measured, this,
            [this](const QString& directory, double value, const QString& warning) {
                m_perplexity = value;
                if (!warning.isEmpty()) {
                    m_isRecorded = false;
                    m_parts.messages->show(
                        MessageBar::Kind::Problem,
                        tr("The perplexity of %1 is missing from the stored runs: %2")
                            .arg(QFileInfo(directory).fileName(), warning));
                }
                emit storedChanged();
            });
    connect(perplexity, &PerplexityMeasurement::failed, this,
            [this](const QString& directory, const EngineError& error) {
                if (!error.engineIsGone) {
                    m_parts.messages->show(MessageBar::Kind::Problem,
                                           tr("The perplexity of %1 was not measured: %2")
                                               .arg(QFileInfo(directory).fileName(), error.message),
                                           error.where, error.hint);
                }
            });
    connect(perplexity, &PerplexityMeasurement::ended, this, [this](int measured) {
        m_parts.queue->endMeasures(RunQueue::Measure::Perplexity);
        tellMeasured(measured);
    });
    connect(perplexity, &PerplexityMeasurement::changed, this, &RunMeasures::letQueueGoOn);
}

void RunMeasures::tellMeasured(int measured) {
    const bool isRecorded = std::exchange(m_isRecorded, true);
    if (measured == 0) {
        m_parts.messages->withdraw(kPerplexity);
        return;
    }
    m_parts.messages->show(MessageBar::Kind::Success,
                           measured == 1
                               ? tr("Perplexity %1 on WikiText-2").arg(formatFixed(m_perplexity, 3))
                               : tr("Perplexity on WikiText-2 measured for %1 runs").arg(measured),
                           {},
                           !isRecorded     ? QString()
                           : measured == 1 ? tr("Recorded with the run.")
                                           : tr("Recorded with the runs."),
                           kPerplexity);
}

void RunMeasures::evaluate(const std::vector<RunRow>& runs) {
    const int tokens = tokensToMeasure();
    try {
        QStringList all;
        QStringList without;
        for (const RunRow& run : runs) {
            all << QString::fromStdString(run.directory);
            without << (isMeasured(run, tokens) ? QStringList() : QStringList{all.last()});
        }
        measure(without.isEmpty() ? all : without, tokens, QString::fromLatin1(kMeasuredText));
    } catch (const Error& error) {
        m_parts.messages->showProblem(asEngineError(error), kPerplexity);
    }
}

void RunMeasures::holdAgainstPrediction() {
    if (m_parts.run->specification().value(QStringLiteral("ratios")).toObject().isEmpty()) {
        return;
    }
    try {
        measure({m_parts.run->directory()}, 0, QString::fromLatin1(kPredictedText));
    } catch (const Error& error) {
        m_parts.messages->showProblem(asEngineError(error), kPerplexity);
    }
}

void RunMeasures::takeFinished(const QString& directory, const AfterRun& after) {
    m_parts.queue->setMeasuring(true);
    if (after.perplexity) {
        try {
            if (const int tokens = tokensToMeasure(); !isRecorded(directory, tokens)) {
                measure({directory}, tokens, QString::fromLatin1(kMeasuredText));
            }
        } catch (const Error& error) {
            m_parts.messages->showProblem(asEngineError(error), kPerplexity);
        }
    }
    if (!after.tasks.isEmpty()) {
        askTasks(directory, after);
    }
    letQueueGoOn();  // where nothing could be begun
}

void RunMeasures::measure(const QStringList& directories, int tokens, const QString& text) {
    m_parts.perplexity->start(directories, tokens, text);
    const int count = m_parts.perplexity->count();
    const int context = PerplexityMeasurement::kContext;
    m_parts.messages->show(
        MessageBar::Kind::Information,
        count == 1
            ? tr("Measuring the perplexity of %1 …").arg(QFileInfo(directories.front()).fileName())
            : tr("Measuring the perplexity of %1 runs …").arg(count),
        {},
        text == kPredictedText
            ? tr("On the text it was predicted for, in windows of %1. It appears as a point on the "
                 "Whole page.")
                  .arg(context)
            : tr("WikiText-2, %1 tokens in windows of %2. It appears in the table.")
                  .arg(tokens)
                  .arg(context),
        kPerplexity);
    m_parts.messages->offer(tr("Stop"), [this] { m_parts.perplexity->cancel(); });
}

void RunMeasures::askTasks(const QString& directory, const AfterRun& after) {
    TaskJob job;
    job.model = directory;
    job.label = QFileInfo(directory).fileName();
    job.tasks = after.tasks;
    job.data = after.data;
    job.limit = after.limit;
    job.followsRun = true;
    m_parts.tasks->add({job});
    m_parts.messages->show(
        MessageBar::Kind::Information,
        tr("Evaluating %1: %2").arg(job.label, after.tasks.join(QStringLiteral(", "))), {},
        tr("The Evaluate page shows the progress."), kTasks);
    m_parts.messages->offer(tr("Stop"), [this, directory] {
        const QList<TaskJob> jobs = m_parts.tasks->jobs();  // cancelling changes them
        for (const TaskJob& one : jobs) {
            if (one.followsRun && one.model == directory && !one.isOver()) {
                m_parts.tasks->cancel(one.name);
            }
        }
    });
}

void RunMeasures::offerWhatWasLeft() {
    const int left = m_parts.tasks->held();
    if (std::exchange(m_looked, true) || left == 0) {
        return;
    }
    m_parts.messages->show(
        MessageBar::Kind::Information,
        tr("%n task evaluation(s) (was|were) still waiting when the window was closed.", nullptr,
           left),
        {}, tr("The Evaluate page lists them."), kLeftTasks);
    m_parts.messages->offer(tr("Start them"), [this] { m_parts.tasks->startHeld(); });
    m_parts.messages->offer(tr("Forget them"), [this] { m_parts.tasks->forgetHeld(); });
}

void RunMeasures::stopListening() {
    m_parts.perplexity->disconnect(this);
    m_parts.tasks->disconnect(this);
}

bool RunMeasures::isAskingTasks() const {
    const QList<TaskJob>& jobs = m_parts.tasks->jobs();
    return std::any_of(jobs.begin(), jobs.end(),
                       [](const TaskJob& job) { return !job.isOver() && !job.isHeld; });
}

void RunMeasures::letQueueGoOn() {
    if (!m_parts.perplexity->isActive() && !isAskingTasks()) {
        m_parts.queue->setMeasuring(false);
    }
}

}  // namespace cospadi::ui
