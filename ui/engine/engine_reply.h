// What one request to the engine comes to (docs/formats.md, "The engine").
//
// Every reply is completed exactly once, by finished() or failed(): by the engine's answer, by its
// error, or, where the engine died, could not be started or was stopped, by an error that says so.
// So whoever connects to both hears of every end there is, and need not watch the engine.
//
// A reply belongs to its EngineClient and is deleted soon after its completion: hold it in a
// QPointer, or not at all. Who no longer cares disconnects. Only the end of the EngineClient itself
// is silent: it takes open replies with it.
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QString>

#include "core/base/error.h"

namespace cospadi::ui {

// What went wrong, where, and what to do: the three parts of cospadi::Error and of error replies.
struct EngineError {
    QString message;
    QString where;
    QString hint;
    // There was nobody to answer: the process ended, was stopped, or could not be started.
    bool engineIsGone = false;
};

EngineError asEngineError(const Error& error);

class EngineReply : public QObject {
    Q_OBJECT

  public:
    // Is this request still to be completed? False for none, and from within finished(), failed().
    static bool isOpen(const EngineReply* reply) { return reply != nullptr && !reply->m_isOver; }

    int id() const { return m_id; }

  signals:
    // The engine's answer to a request that then goes on to its last event.
    void begun(const QJsonObject& result);
    void progressed(const QJsonObject& event);
    // The engine's answer, or the last event where the request has one.
    void finished(const QJsonObject& result);
    void failed(const cospadi::ui::EngineError& error);

  private:
    friend class EngineClient;

    EngineReply(int id, const QString& lastEvent, QObject* parent);

    bool completesWithItsAnswer() const { return m_lastEvent.isEmpty(); }
    bool completesWith(const QJsonObject& event) const;
    void finish(const QJsonObject& result);
    void fail(const EngineError& error);

    int m_id;
    QString m_lastEvent;  // empty: the answer is the end
    bool m_isOver = false;
};

}  // namespace cospadi::ui

Q_DECLARE_METATYPE(cospadi::ui::EngineError)
