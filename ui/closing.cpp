#include "ui/closing.h"

#include <QProcess>

#include "ui/base/preferences.h"
#include "ui/engine/activity.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/task_queue.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

constexpr int kPatienceMilliseconds = 20'000;  // an iteration of the largest matrix takes seconds

}  // namespace

Closing::Closing(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {}

bool Closing::asks() {
    const Preferences::Closing wish = Preferences::load().closing;
    const Activity& activity = *m_parts.activity;
    if (activity.isIdle() || m_asked || wish == Preferences::Closing::Stop) {
        return false;
    }
    // A run can go on in a process of its own; what waits behind it in the engine cannot.
    if (wish == Preferences::Closing::LeaveRunning && activity.isRunAlone()) {
        leaveRunning();
        return true;
    }
    MessageBar* messages = m_parts.messages;
    messages->show(MessageBar::Kind::Information, activity.words(), {}, activity.wordsOfStop());
    messages->offer(tr("Stop it and close"), [this] {
        m_asked = true;
        emit closeWanted();
    });
    if (m_parts.run->isActive()) {
        messages->offer(tr("Close, and let it run on"), [this] { leaveRunning(); });
    }
    messages->offer(tr("Stay"), [] {});
    return true;
}

void Closing::leaveRunning() {
    const QStringList words = m_parts.run->commandToGoOn();
    m_parts.run->disconnect();
    m_parts.tasks->cancelAll();  // else the next of them would start the engine again
    m_parts.engine->stop(kPatienceMilliseconds);  // at its next iteration; what is finished stays
    if (!words.isEmpty()) {
        QProcess::startDetached(m_parts.engine->program(), words);
    }
    m_asked = true;
    m_leftRunning = true;
    emit closeWanted();
}

}  // namespace cospadi::ui
