// Perplexity of stored runs on the text that ships, measured by the engine, which records it with
// the run: one run after another, until all are measured or the rest is cancelled.
#pragma once

#include <QList>
#include <QObject>
#include <QStringList>

#include "ui/engine/engine_client.h"

namespace cospadi::ui {

class PerplexityMeasurement : public QObject {
    Q_OBJECT

  public:
    explicit PerplexityMeasurement(EngineClient* engine, QObject* parent = nullptr);

    // Of the runs in these directories, over at most `tokens` tokens (0: all) of the text, a word
    // or path, in windows of kContext. A run that is being measured on it or waits for that is not
    // measured twice. Throws cospadi::Error where the text is not there.
    void start(const QStringList& directories, int tokens,
               const QString& text = QStringLiteral("wikitext2"));
    // The one at hand, and those that wait.
    void cancel();
    bool isActive() const { return !m_current.isEmpty(); }
    // Of those asked for since it last had nothing to do: with which one it is, from 1, of how
    // many.
    int number() const { return m_ended + 1; }
    int count() const;

    static constexpr int kContext = 512;  // tokens

  signals:
    void changed();
    void progressed(qint64 done, qint64 total);  // tokens, of the run at hand
    // warning: why the run or the index could not take it; empty: both did.
    void measured(const QString& directory, double perplexity, const QString& warning);
    void failed(const QString& directory, const cospadi::ui::EngineError& error);
    void ended(int measured);  // nothing is left of those asked for; of so many runs there is one

  private:
    struct Wanted {
        QString directory;
        QString text;  // path
        int tokens;
    };

    void startNext();
    void takeFailure(const EngineError& error);
    void endCurrent();

    EngineClient* m_engine;
    QList<Wanted> m_waiting;
    QString m_current;  // directory; empty: nothing goes on
    QString m_currentText;
    int m_ended = 0;  // in a row, measured or not
    int m_measured = 0;
    bool m_cancelling = false;
};

}  // namespace cospadi::ui
