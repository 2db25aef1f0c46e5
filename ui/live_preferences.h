// The user's preferences in a window that is open: saved, and made to count at once. The look
// follows the desktop where nobody has said otherwise; the engine starts anew for another number of
// threads or another folder of the runs as soon as it has nothing to do.
#pragma once

#include <QObject>

#include "ui/base/preferences.h"

class QWidget;

namespace cospadi::ui {

class Activity;
class DesktopTheme;
class EngineClient;
class EngineLabel;
class MessageBar;

class LivePreferences : public QObject {
    Q_OBJECT

  public:
    struct Parts {
        const DesktopTheme* desktop;  // null: light where nobody has said otherwise
        EngineClient* engine;
        const Activity* activity;
        EngineLabel* engineLabel;
        MessageBar* messages;
    };

    // Belongs to the window.
    LivePreferences(const Parts& parts, QWidget* window);

    void apply(const Preferences& preferences);
    void setDark(bool dark);

  signals:
    void runsMoved();  // to another folder
    void applied();    // all else was done

  private:
    void restartEngineWhenIdle();

    Parts m_parts;
    QWidget* m_window;
    bool m_restartsWhenIdle = false;
};

}  // namespace cospadi::ui
