#include "app/workbench/step_player.h"

namespace cospadi::app {

namespace {

constexpr int kLookMilliseconds = 100;
constexpr int kMostLooks = 6000;  // ten minutes

}  // namespace

StepPlayer::StepPlayer(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kLookMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &StepPlayer::look);
}

void StepPlayer::play() { m_timer.start(); }

void StepPlayer::stop(const QString& why) {
    m_timer.stop();
    emit stuck(m_next < m_steps.size() ? m_steps[m_next].name : QString(), why);
}

void StepPlayer::look() {
    if (m_next >= m_steps.size()) {
        m_timer.stop();
        emit ended();
        return;
    }
    if (!m_isBegun) {
        m_isBegun = true;
        m_looks = 0;
        m_steps[m_next].begin();
        return;  // what it has set going is seen at the next look
    }
    if (m_steps[m_next].isDone()) {
        ++m_next;
        m_isBegun = false;
    } else if (++m_looks > kMostLooks) {
        stop(QStringLiteral("it took too long"));
    }
}

}  // namespace cospadi::app
