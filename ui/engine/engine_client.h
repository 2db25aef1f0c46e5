// The engine as a child process (docs/formats.md, "The engine"): one JSON object a line each way.
//
// Starts `cospadi engine` when the first request is made, and again after it died. The window never
// waits for it: what a request comes to arrives at its EngineReply, on the thread that owns the
// client.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QMap>
#include <QObject>
#include <QProcess>
#include <QString>

#include "ui/engine/engine_reply.h"

namespace cospadi::ui {

class EngineClient : public QObject {
    Q_OBJECT

  public:
    explicit EngineClient(QObject* parent = nullptr);
    ~EngineClient() override;

    // $COSPADI_ENGINE, else `cospadi` beside this program, else the one on the PATH.
    static QString defaultProgram();
    void setProgram(const QString& program, const QStringList& arguments = {"engine"});
    QString program() const { return m_program; }

    // As the engine said in its greeting; empty before its first start.
    const QString& device() const { return m_device; }
    const QString& deviceReason() const { return m_deviceReason; }  // why it is no GPU

    bool isRunning() const;
    qint64 processId() const { return m_process.processId(); }
    void start();
    // Closes the engine's stdin (it stops its run so that it can be resumed) and waits for its end.
    // What is not answered by then fails.
    void stop(int milliseconds = 3000);

    // Sends a request, starting the engine if need be. The reply is never completed before this
    // returns. lastEvent: of requests that go on after their answer, the event that ends them.
    EngineReply* request(const QString& method, const QJsonObject& params = {},
                         const QString& lastEvent = {});

  signals:
    void ready(const QString& version, const QString& device, int cores);
    // Every event, also those that a reply hands on: for who looks on, whoever asked.
    void eventReceived(const QJsonObject& event);
    void textReceived(const QString& line);  // the engine's stderr, for the log
    void malformedLine(const QString& line, const QString& reason);
    // The process ended or could not be started without being asked to stop; open requests have
    // been told.
    void died(const cospadi::ui::EngineError& error);

  private:
    EngineReply* send(const QString& method, const QJsonObject& params, const QString& lastEvent);
    void greet(const QJsonObject& greeting);
    void readMessages();
    void readText();
    void handleLine(const QByteArray& line);
    void handleEvent(const QJsonObject& event);
    void handleEnd(int code, QProcess::ExitStatus status);
    void handleProcessError(QProcess::ProcessError error);
    void fail(EngineError error);
    void failOpen(const EngineError& error);

    QProcess m_process;
    QString m_program;
    QStringList m_arguments;
    QString m_device;
    QString m_deviceReason;
    QByteArray m_partialLine;
    bool m_skippingLine = false;
    bool m_stopping = false;
    int m_nextId = 1;
    QMap<int, EngineReply*> m_open;  // by id: in the order in which they were asked
    EngineError m_end;               // of the process before
};

}  // namespace cospadi::ui
