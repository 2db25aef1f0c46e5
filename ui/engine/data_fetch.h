// Data sets of tasks, fetched once through the engine (`cospadi data fetch`).
#pragma once

#include <QObject>
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
    bool isActive() const { return m_request != 0; }

  signals:
    void changed();
    void step(const QString& text);  // what is being done, in words
    void fetched(const QString& folder, const QStringList& tasks);
    void failed(const cospadi::ui::EngineError& error);

  private:
    void end();

    EngineClient* m_engine;
    int m_request = 0;
    bool m_cancelling = false;
};

}  // namespace cospadi::ui
