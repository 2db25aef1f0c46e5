// One window for the user's settings: a second start hands its words (a model, a page) to the
// window that is there, which comes to the front, and ends. Over a local socket, whose name is made
// of the settings file and the folder of the runs: windows with other settings or other runs do not
// meet. The socket is the user's alone. GUI thread only.
#pragma once

#include <QObject>
#include <QString>

class QLocalServer;

namespace cospadi::ui {

struct StartWords {
    QString model;  // an absolute path or "default"; empty: none was named
    QString page;   // as indexOfPage() (window_pages.h) reads it; empty: as it is
    // Of the desktop, for a window that wants to the front (Wayland); empty: none.
    QString activationToken;

    bool operator==(const StartWords&) const = default;
};

class FirstWindow : public QObject {
    Q_OBJECT

  public:
    // runs: the folder of the runs, as the two functions below take it.
    explicit FirstWindow(const QString& runs, QObject* parent = nullptr);

    // Whether a window with these settings and runs is there and has taken the words.
    static bool handOver(const QString& runs, const StartWords& words);
    // From now on this is the one: handed() tells of later starts. False where nothing can be
    // listened to; the window works without.
    bool listen();

    static QString serverName(const QString& runs);  // of the present settings and these runs

  signals:
    void handed(const cospadi::ui::StartWords& words);

  private:
    void take();

    QString m_name;
    QLocalServer* m_server;
};

}  // namespace cospadi::ui
