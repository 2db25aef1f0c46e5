#include "ui/base/ordered_work.h"

#include <QThreadPool>
#include <exception>
#include <utility>

#include "ui/base/background.h"

namespace cospadi::ui {

OrderedWork::~OrderedWork() {
    if (m_isWorking) {  // what waits comes behind it
        QThreadPool::globalInstance()->waitForDone();
    }
    for (const auto& work : std::as_const(m_waiting)) {
        try {
            work();
        } catch (const std::exception&) {
            // There is no one left to tell.
        }
    }
}

void OrderedWork::append(std::function<void()> work) {
    m_waiting.append(std::move(work));
    next();
}

void OrderedWork::next() {
    if (m_isWorking || m_waiting.isEmpty()) {
        return;
    }
    m_isWorking = true;
    runInBackground(
        this,
        [work = m_waiting.takeFirst()] {
            work();
            return true;
        },
        [this](bool) { finishOne(); },
        [this](const Error& error) {
            finishOne();
            emit failed(error);
        });
}

void OrderedWork::finishOne() {
    m_isWorking = false;
    emit oneDone();
    next();
    if (!m_isWorking) {
        emit allDone();
    }
}

}  // namespace cospadi::ui
