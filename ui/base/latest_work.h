// Work off the GUI thread of which only the latest question counts: what is shown for the run that
// is chosen, the model that is opened, the design on screen.
//
//     m_work.ask([path] { return read(path); },                  // on a pool thread
//                [this](Content content) { show(content); },     // on this object's thread
//                [this](const Error& error) { tell(error); });
//
// One question is worked on at a time. Asked meanwhile, the next waits and takes the place of any
// that waited; the answer to the one before it is dropped, errors included. So however fast
// questions come, no more than one outdated one is ever worked on, answers keep their order, and
// ask() returns at once. Where this object is gone nobody is answered: be a member of who is told.
#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "ui/base/background.h"

namespace cospadi::ui {

class LatestWork : public QObject {
  public:
    using QObject::QObject;

    // done() takes what work() returns; failed() a cospadi::Error. All three are copied.
    template <typename Work, typename Done, typename Failed>
    void ask(Work work, Done done, Failed failed) {
        m_next = [this, question = ++m_latest, work = std::move(work), done = std::move(done),
                  failed = std::move(failed)]() mutable {
            using Result = std::invoke_result_t<Work&>;
            runInBackground(
                this, std::move(work),
                [this, question, done = std::move(done)](Result result) mutable {
                    take(question, [&] { done(std::move(result)); });
                },
                [this, question, failed = std::move(failed)](const Error& error) mutable {
                    take(question, [&] { failed(error); });
                });
        };
        m_isAwaited = true;
        startNext();
    }

    // Is an answer to come?
    bool isBusy() const { return m_isAwaited; }

    // There is no question any more: what is on the way is dropped.
    void forget() {
        ++m_latest;
        m_next = nullptr;
        m_isAwaited = false;
    }

  private:
    void startNext() {
        if (!m_isAtWork && m_next) {
            m_isAtWork = true;
            std::exchange(m_next, nullptr)();
        }
    }

    template <typename Answer>
    void take(std::uint64_t question, const Answer& answer) {
        m_isAtWork = false;
        if (question == m_latest) {
            m_isAwaited = false;
            answer();  // may ask the next question itself
        }
        startNext();
    }

    std::uint64_t m_latest = 0;    // question
    std::function<void()> m_next;  // starts the one that waits; empty where none does
    bool m_isAtWork = false;       // on any question, outdated or not
    bool m_isAwaited = false;
};

}  // namespace cospadi::ui
