// Data sets of tasks, fetched once through the engine (`cospadi data fetch`).
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

#include "ui/engine/engine_client.h"

namespace cospadi::ui {

class DataFetch : public QObject {
    Q_OBJECT

  public:
    explicit DataFetch(EngineClient* engine, QObject* parent = nullptr);

    // Of these tasks. Nothing happens while one goes on.
    void start(const QStringList& tasks);
    void cancel();  // what has been fetched stays
    bool isActive() const { return EngineReply::isOpen(m_reply); }

  signals:
    void changed();
    void step(const QString& text);  // what is being done, in words
    void fetched(const QString& folder, const QStringList& tasks);
    void failed(const cospadi::ui::EngineError& error);

  private:
    void takeResult(const QJsonObject& result);
    void takeFailure(const EngineError& error);

    EngineClient* m_engine;
    QPointer<EngineReply> m_reply;
    bool m_cancelling = false;
};

}  // namespace cospadi::ui
