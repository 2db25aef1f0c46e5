// A notification of the desktop (org.freedesktop.Notifications over the session bus), for what ends
// while the user looks elsewhere. Without a session bus or a service nothing happens; never waits.
#pragma once

#include <QString>

namespace cospadi::ui {

// False where there is no session bus to tell.
bool notifyDesktop(const QString& title, const QString& text);

}  // namespace cospadi::ui
