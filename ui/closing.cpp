#include "ui/closing.h"

#include <QProcess>

#include "ui/base/preferences.h"
#include "ui/engine/activity.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/task_queue.h"
#include "ui/run_measures.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

constexpr int kPatienceMilliseconds = 20'000;  // an iteration of the largest matrix takes seconds
const QString kQuestion = QStringLiteral("closing");  // topic of messages

}  // namespace

Closing::Closing(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
    // Queued: everybody has heard of an end before the window closes over it.
    connect(parts.activity, &Activity::changed, this, &Closing::askOn, Qt::QueuedConnection);
}

bool Closing::asks() {
    const Preferences::Closing wish = Preferences::load().closing;
    const Activity& activity = *m_parts.activity;
    if (activity.isIdle() || m_asked || wish == Preferences::Closing::Stop) {
        return false;
    }
    // A run can go on in a process of its own; what waits behind it in the engine cannot.
    if (wish == Preferences::Closing::LeaveRunning && activity.isRunAlone()) {
        handOver();
        return false;  // the window is closing as it is
    }
    ask();
    return true;
}

void Closing::ask() {
    const Activity& activity = *m_parts.activity;
    MessageBar* messages = m_parts.messages;
    const auto close = [this] {
        m_asked = true;
        emit closeWanted();
    };
    m_askedAbout = activity.kind();
    if (m_askedAbout == Activity::Kind::None) {
        messages->show(MessageBar::Kind::Information, tr("Nothing is running any more."), {},
                       tr("Close the window?"), kQuestion);
        messages->offer(tr("Close"), close);
    } else {
        messages->show(MessageBar::Kind::Information, activity.words(), {}, activity.wordsOfStop(),
                       kQuestion);
        messages->offer(tr("Stop and close"), close);
    }
    if (m_parts.run->isActive()) {
        messages->offer(tr("Close and keep running"), [this] {
            handOver();
            emit closeWanted();
        });
    }
    messages->offer(tr("Keep open"), [] {});
}

void Closing::askOn() {
    if (!m_parts.messages->stands(kQuestion)) {
        return;  // answered, or closed
    }
    const bool wasRun =
        m_askedAbout == Activity::Kind::Run || m_askedAbout == Activity::Kind::Queue;
    if (!m_parts.activity->isIdle()) {
        // Begun after all had ended: whoever wanted to close has taken up work again.
        m_askedAbout == Activity::Kind::None ? m_parts.messages->withdraw(kQuestion) : ask();
    } else if (wasRun && m_parts.run->ending() == QLatin1String("finished")) {
        emit closeWanted();
    } else {
        ask();
    }
}

void Closing::handOver() {
    const QStringList words = m_parts.run->commandToGoOn();
    m_parts.run->disconnect();
    m_parts.measures->stopListening();  // what is under way is for the next start
    m_parts.tasks->putOff();            // else the next of them would start the engine again
    m_parts.engine->stop(kPatienceMilliseconds);  // at its next iteration; what is finished stays
    m_asked = true;
    if (!words.isEmpty()) {  // else it has not begun: the queue keeps it
        QProcess::startDetached(m_parts.engine->program(), words);
        m_leftRunning = true;
    }
}

}  // namespace cospadi::ui
