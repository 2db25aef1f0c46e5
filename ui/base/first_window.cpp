#include "ui/base/first_window.h"

#include <unistd.h>
#include <QCryptographicHash>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalServer>
#include <QLocalSocket>
#include <QSettings>

namespace cospadi::ui {

namespace {

constexpr int kPatienceMilliseconds = 1000;  // with a window that is busy
const QByteArray kTaken("taken\n");
const QLatin1String kModelWord("model");
const QLatin1String kPageWord("page");
const QLatin1String kTokenWord("activation_token");

}  // namespace

FirstWindow::FirstWindow(const QString& runs, QObject* parent)
    : QObject(parent), m_name(serverName(runs)), m_server(new QLocalServer(this)) {
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    connect(m_server, &QLocalServer::newConnection, this, &FirstWindow::take);
}

QString FirstWindow::serverName(const QString& runs) {
    const QByteArray place = QFileInfo(QSettings().fileName()).absoluteFilePath().toUtf8() + '\n' +
                             QFileInfo(runs).absoluteFilePath().toUtf8() + '\n' +
                             QByteArray::number(static_cast<qulonglong>(::getuid()));
    const QByteArray hash = QCryptographicHash::hash(place, QCryptographicHash::Sha256).toHex();
    return QStringLiteral("cospadi-workbench-") + QString::fromLatin1(hash.left(20));
}

bool FirstWindow::handOver(const QString& runs, const StartWords& words) {
    QLocalSocket socket;
    socket.connectToServer(serverName(runs));
    if (!socket.waitForConnected(kPatienceMilliseconds)) {
        return false;
    }
    const QJsonObject line{
        {kModelWord, words.model}, {kPageWord, words.page}, {kTokenWord, words.activationToken}};
    socket.write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
    socket.flush();
    // A window that hangs does not keep another from opening.
    while (!socket.canReadLine()) {
        if (!socket.waitForReadyRead(kPatienceMilliseconds)) {
            return false;
        }
    }
    return socket.readLine() == kTaken;
}

// A server takes the name whoever has it: who is there is asked first. What a killed window left
// answers nobody.
bool FirstWindow::listen() {
    QLocalSocket probe;
    probe.connectToServer(m_name);
    if (probe.waitForConnected(kPatienceMilliseconds)) {
        return false;
    }
    QLocalServer::removeServer(m_name);
    return m_server->listen(m_name);
}

void FirstWindow::take() {
    while (QLocalSocket* socket = m_server->nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto read = [this, socket] {
            if (!socket->canReadLine()) {
                return;
            }
            const QJsonObject line = QJsonDocument::fromJson(socket->readLine()).object();
            socket->write(kTaken);
            socket->flush();
            emit handed({line[kModelWord].toString(), line[kPageWord].toString(),
                         line[kTokenWord].toString()});
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        read();  // what was there before anybody listened
    }
}

}  // namespace cospadi::ui
