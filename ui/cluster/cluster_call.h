// One call of `cospadi`, here or through ssh, that ends with a JSON object on its standard output.
// Completed exactly once, by answered() or failed(), and deleted soon after; whoever ends the
// object before ends the process.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QStringList>

#include "ui/engine/engine_reply.h"

namespace cospadi::ui {

class ClusterCall : public QObject {
    Q_OBJECT

  public:
    // command: the program first. input: for its standard input.
    ClusterCall(const QStringList& command, const QByteArray& input, QObject* parent);
    ~ClusterCall() override;

    // Where the standard output holds a file and no object: what stands behind the line that is
    // `marker` goes into `file`, and what answered() brings is empty. Before the event loop is
    // entered again.
    void keepFile(const QString& file, const QByteArray& marker);

  signals:
    void answered(const QJsonObject& object);
    void failed(const cospadi::ui::EngineError& error);

  private:
    void start();
    void keep();
    void end(int code, QProcess::ExitStatus status);

    QStringList m_command;
    QByteArray m_input;
    QProcess m_process;
    QFile m_file;
    QByteArray m_marker;  // empty: an object is expected
    QByteArray m_before;  // what was said in front of the marker, until it came
    bool m_isOver = false;
};

}  // namespace cospadi::ui
