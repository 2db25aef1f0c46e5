// Work off the GUI thread that is all done, one piece after another: marks that are set and taken
// back at once must not end the other way round. What waits when this is destroyed is done then,
// on the GUI thread.
#pragma once

#include <QList>
#include <QObject>
#include <functional>

#include "core/base/error.h"

namespace cospadi::ui {

class OrderedWork : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    ~OrderedWork() override;

    void append(std::function<void()> work);
    bool isWorking() const { return m_isWorking; }

  signals:
    void oneDone();  // or failed
    void allDone();  // nothing waits any more
    void failed(const cospadi::Error& error);

  private:
    void next();
    void finishOne();

    QList<std::function<void()>> m_waiting;
    bool m_isWorking = false;
};

}  // namespace cospadi::ui
