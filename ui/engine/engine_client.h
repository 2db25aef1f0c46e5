// The engine as a child process (docs/formats.md, "The engine"): one JSON object a line each way.
//
// Starts `cospadi engine` when the first request is made, and again after it died. The window never
// waits for it: everything arrives as a signal on the thread that owns the client.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QString>

namespace cospadi::ui {

// What went wrong, where, and what to do: the three parts of cospadi::Error and of error replies.
struct EngineError {
    QString message;
    QString where;
    QString hint;
};

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
    void stop(int milliseconds = 3000);

    // Sends a request, starting the engine if need be; returns the id that the reply will carry.
    int request(const QString& method, const QJsonObject& params = {});

  signals:
    void ready(const QString& version, const QString& device, int cores);
    void eventReceived(const QJsonObject& event);
    void replied(int id, const QJsonObject& result);
    void refused(int id, const cospadi::ui::EngineError& error);
    void textReceived(const QString& line);  // the engine's stderr, for the log
    void malformedLine(const QString& line, const QString& reason);
    // The process ended or could not be started without being asked to stop.
    void died(const cospadi::ui::EngineError& error);

  private:
    void readMessages();
    void readText();
    void handleLine(const QByteArray& line);
    void handleEnd(int code, QProcess::ExitStatus status);
    void handleProcessError(QProcess::ProcessError error);
    void fail(const EngineError& error);

    QProcess m_process;
    QString m_program;
    QStringList m_arguments;
    QString m_device;
    QString m_deviceReason;
    QByteArray m_partialLine;
    bool m_skippingLine = false;
    bool m_stopping = false;
    int m_nextId = 1;
    int m_helloId = 0;
    QHash<int, QString> m_pending;  // id → method
};

}  // namespace cospadi::ui

Q_DECLARE_METATYPE(cospadi::ui::EngineError)
