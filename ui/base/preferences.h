// What the user has chosen under Settings, in QSettings. GUI thread only.
//
// What the environment says when the program starts wins over the settings: COSPADI_RUNS (also
// --runs) and COSPADI_THREADS, so that a start from a script does what the script says.
#pragma once

#include <QString>

namespace cospadi::ui {

struct Preferences {
    enum class Closing { Ask, Stop, LeaveRunning };  // a run that goes on, when the window closes

    enum class Look { Desktop, Light, Dark };

    Look look = Look::Desktop;
    QString language;  // a code of languages(); empty: the desktop's; from the next start on
    bool plainNumbers = false;  // 1234.5 whatever the desktop's language says
    int threads = 0;            // of the engine; 0 = all cores
    QString runsDirectory;      // empty: the data directory
    Closing closing = Closing::Ask;
    bool notify = true;  // tell the desktop when the last run is over

    static Preferences load();
    void save() const;
    // With the desktop's, where that is to be followed.
    bool isDark(bool desktopIsDark) const {
        return look == Look::Desktop ? desktopIsDark : look == Look::Dark;
    }
    // For this process and the engines that it starts from now on: locale of numbers, threads, runs
    // directory. The theme is applyTheme()'s.
    void apply() const;

    bool operator==(const Preferences&) const = default;
};

// Whether the environment had settled these when the program started.
bool isRunsDirectoryGiven();
bool areThreadsGiven();

}  // namespace cospadi::ui
