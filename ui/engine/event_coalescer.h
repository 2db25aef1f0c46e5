// Gathers events and hands them on in batches, at most 30 a second, so that a fast engine costs the
// window one redraw a batch and not one an event. Order is kept; nothing is dropped.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QTimer>

namespace cospadi::ui {

class EventCoalescer : public QObject {
    Q_OBJECT

  public:
    explicit EventCoalescer(QObject* parent = nullptr, int milliseconds = 34);

    void add(const QJsonObject& event);
    void flush();  // hands on at once what has gathered
    void hold();   // hands on nothing until flush()

  signals:
    void batchReady(const QList<QJsonObject>& events);

  private:
    QList<QJsonObject> m_events;
    QTimer m_timer;
    bool m_isHeld = false;
};

}  // namespace cospadi::ui
