// Tests that fill or forbid a disk mount one of their own, where the system lets them.
#pragma once

#include <QProcess>
#include <QStringList>

// May this process mount a file system of its own? As root in most places, as a user in some. What
// to give `unshare` for it; empty where it may not.
inline QStringList ownMounts() {
    for (const QStringList& flags : {QStringList{"-m"}, QStringList{"-r", "-m"}}) {
        QProcess process;
        process.start("unshare", flags + QStringList{"sh", "-c", "mount -t tmpfs none /mnt"});
        if (process.waitForFinished() && process.exitCode() == 0) {
            return flags;
        }
    }
    return {};
}
