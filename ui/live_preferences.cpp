#include "ui/live_preferences.h"

#include <QApplication>
#include <QLocale>
#include <QWidget>

#include "ui/base/desktop_theme.h"
#include "ui/base/theme.h"
#include "ui/engine/activity.h"
#include "ui/engine/engine_client.h"
#include "ui/engine_label.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

const QString kLanguage = QStringLiteral("language");  // topic of messages

}  // namespace

LivePreferences::LivePreferences(const Parts& parts, QWidget* window)
    : QObject(window), m_parts(parts), m_window(window) {
    // Queued: the engine is not stopped while it is being listened to.
    connect(parts.activity, &Activity::changed, this, &LivePreferences::restartEngineWhenIdle,
            Qt::QueuedConnection);
    if (parts.desktop != nullptr) {
        connect(parts.desktop, &DesktopTheme::changed, this, [](bool dark) {
            if (Preferences::load().look == Preferences::Look::Desktop) {
                applyTheme(*qApp, dark);
            }
        });
    }
}

void LivePreferences::setDark(bool dark) {
    Preferences preferences = Preferences::load();
    preferences.look = dark ? Preferences::Look::Dark : Preferences::Look::Light;
    preferences.save();
    applyTheme(*qApp, dark);
}

void LivePreferences::apply(const Preferences& preferences) {
    const Preferences before = Preferences::load();
    preferences.save();
    preferences.apply();
    m_window->setLocale(QLocale());  // all its fields take it from here
    const bool desktopIsDark = m_parts.desktop != nullptr && m_parts.desktop->isDark();
    if (const bool dark = preferences.isDark(desktopIsDark); dark != theme().dark) {
        applyTheme(*qApp, dark);
    }
    if (preferences.language != before.language) {
        m_parts.messages->show(MessageBar::Kind::Information,
                               tr("The language changes when the program is restarted."), {}, {},
                               kLanguage);
    }
    const bool elsewhere = preferences.runsDirectory != before.runsDirectory;
    if (elsewhere || preferences.threads != before.threads) {
        m_restartsWhenIdle = true;
        restartEngineWhenIdle();
    }
    if (elsewhere) {
        emit runsMoved();
    }
    emit applied();
}

void LivePreferences::restartEngineWhenIdle() {
    if (m_restartsWhenIdle && m_parts.activity->isIdle()) {
        m_restartsWhenIdle = false;
        m_parts.engine->stop();  // the next request starts one with the new environment
        m_parts.engineLabel->showAtRest();
    }
}

}  // namespace cospadi::ui
