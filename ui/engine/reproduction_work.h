// A table or figure of the paper made through the engine (`cospadi reproduce LABEL MODEL`): its
// runs, what is made of them, and what is measured, one after another. Runs and results are
// recorded by the engine; this is only what the window shows of it.
#pragma once

#include <QMap>
#include <QObject>
#include <QPointer>
#include <QString>

#include "core/reproduce/reproduction.h"
#include "ui/engine/engine_client.h"

namespace cospadi::ui {

struct ReproductionQuestion {
    QString label;  // name of the entry
    QString model;  // path, or the word default
    ProtocolSize size = ProtocolSize::Full;

    bool operator==(const ReproductionQuestion&) const = default;
};

// The command that does the same.
QString reproduceCommand(const ReproductionQuestion& question);

class ReproductionWork : public QObject {
    Q_OBJECT

  public:
    explicit ReproductionWork(EngineClient* engine, QObject* parent = nullptr);

    // Nothing happens while one goes on.
    void start(const ReproductionQuestion& question);
    // What is finished stays; the run at hand goes on where it stopped the next time.
    void cancel();
    bool isActive() const { return EngineReply::isOpen(m_reply); }
    const ReproductionQuestion& question() const { return m_question; }  // the latest

    // Of the latest, by the run's number in the plan: running, finished, …
    const QMap<int, QString>& states() const { return m_states; }
    const QMap<int, QString>& holes() const { return m_holes; }  // why one is missing

  signals:
    void changed();   // isActive(), or a state
    void runEnded();  // one more is made, or not: what is stored may be other
    void progressed(int run, const QString& stage, qint64 done, qint64 total);
    void finished(int holes);
    void cancelled();
    void failed(const cospadi::ui::EngineError& error);

  private:
    void takeEvent(const QJsonObject& event);
    void takeFailure(const EngineError& error);

    EngineClient* m_engine;
    QPointer<EngineReply> m_reply;
    ReproductionQuestion m_question;
    QMap<int, QString> m_states;
    QMap<int, QString> m_holes;
    bool m_cancelling = false;
};

}  // namespace cospadi::ui
