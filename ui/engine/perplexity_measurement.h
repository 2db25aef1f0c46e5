// Perplexity of stored runs on the text that ships, measured by the engine, which records it with
// the run. What is asked for while one is measured waits in the engine.
#pragma once

#include <QObject>

#include "ui/engine/engine_client.h"

namespace cospadi::ui {

class PerplexityMeasurement : public QObject {
    Q_OBJECT

  public:
    explicit PerplexityMeasurement(EngineClient* engine, QObject* parent = nullptr);

    // Of the run in `directory`, over at most `tokens` tokens in windows of kContext. Throws
    // cospadi::Error where the text is not there.
    void start(const QString& directory, int tokens);
    bool isActive() const { return m_open > 0; }

    static constexpr int kContext = 512;  // tokens

  signals:
    void changed();
    void progressed(qint64 done, qint64 total);  // tokens
    void measured(double perplexity);
    void failed(const cospadi::ui::EngineError& error);

  private:
    EngineClient* m_engine;
    int m_open = 0;  // requests
};

}  // namespace cospadi::ui
