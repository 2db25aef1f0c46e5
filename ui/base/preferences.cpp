#include "ui/base/preferences.h"

#include <QLocale>
#include <QSettings>
#include <QtGlobal>

namespace cospadi::ui {

namespace {

constexpr const char* kRunsVariable = "COSPADI_RUNS";
constexpr const char* kThreadsVariable = "COSPADI_THREADS";

constexpr const char* kLooks[] = {"desktop", "light", "dark"};
constexpr const char* kClosing[] = {"ask", "stop", "leave"};

// As the environment was before the first apply().
struct Given {
    bool runs = qEnvironmentVariableIsSet(kRunsVariable);
    bool threads = qEnvironmentVariableIsSet(kThreadsVariable);
};

const Given& given() {
    static const Given atStart;
    return atStart;
}

QString key(const char* name) { return QString::fromLatin1(name); }

}  // namespace

Preferences Preferences::load() {
    const QSettings settings;
    Preferences p;
    // Earlier versions knew light and dark alone, and light was what nobody had chosen.
    p.look = settings.value(key("window/dark")).toBool() ? Look::Dark : Look::Desktop;
    const QString look = settings.value(key("window/look")).toString();
    for (int i = 0; i < static_cast<int>(std::size(kLooks)); ++i) {
        if (look == QLatin1String(kLooks[i])) {
            p.look = static_cast<Look>(i);
        }
    }
    p.language = settings.value(key("window/language")).toString();
    p.plainNumbers = settings.value(key("numbers/plain"), p.plainNumbers).toBool();
    p.threads = qMax(0, settings.value(key("engine/threads"), p.threads).toInt());
    p.runsDirectory = settings.value(key("runs/directory")).toString();
    p.notify = settings.value(key("run/notify"), p.notify).toBool();
    const QString closing = settings.value(key("run/closing")).toString();
    for (int i = 0; i < static_cast<int>(std::size(kClosing)); ++i) {
        if (closing == QLatin1String(kClosing[i])) {
            p.closing = static_cast<Closing>(i);
        }
    }
    return p;
}

void Preferences::save() const {
    QSettings settings;
    settings.setValue(key("window/look"), key(kLooks[static_cast<int>(look)]));
    settings.remove(key("window/dark"));
    settings.setValue(key("window/language"), language);
    settings.setValue(key("numbers/plain"), plainNumbers);
    settings.setValue(key("engine/threads"), threads);
    settings.setValue(key("runs/directory"), runsDirectory);
    settings.setValue(key("run/notify"), notify);
    settings.setValue(key("run/closing"), key(kClosing[static_cast<int>(closing)]));
}

void Preferences::apply() const {
    QLocale plain = QLocale::c();
    plain.setNumberOptions(QLocale::OmitGroupSeparator);
    QLocale::setDefault(plainNumbers ? plain : QLocale::system());
    if (!given().runs) {
        runsDirectory.isEmpty() ? qunsetenv(kRunsVariable)
                                : qputenv(kRunsVariable, runsDirectory.toUtf8());
    }
    if (!given().threads) {
        threads == 0 ? qunsetenv(kThreadsVariable)
                     : qputenv(kThreadsVariable, QByteArray::number(threads));
    }
}

bool isRunsDirectoryGiven() { return given().runs; }
bool areThreadsGiven() { return given().threads; }

}  // namespace cospadi::ui
