// Whether the desktop is dark, now and whenever it changes: org.freedesktop.portal.Settings over
// the session bus (key color-scheme of org.freedesktop.appearance, which GNOME, KDE and others
// serve). Qt learns of it in 6.5 only. Without a bus or a portal, what the desktop's palette said
// when the program started. Never waits: what was known last counts until the portal answers, and
// is kept in the settings (window/desktopDark) so that a window need not change colours as it
// opens. GUI thread only.
#pragma once

#include <QDBusMessage>
#include <QObject>
#include <QVariant>

namespace cospadi::ui {

class DesktopTheme : public QObject {
    Q_OBJECT

  public:
    // palettesIsDark: of the application's palette, before applyTheme() has set another.
    explicit DesktopTheme(bool palettesIsDark, QObject* parent = nullptr);

    bool isDark() const { return m_dark; }

  signals:
    void changed(bool dark);

  private slots:
    // As a message: QtDBus connects no slot that takes a variant.
    void takeChange(const QDBusMessage& message);

  private:
    void ask();
    void take(const QVariant& value);

    bool m_dark;
};

}  // namespace cospadi::ui
