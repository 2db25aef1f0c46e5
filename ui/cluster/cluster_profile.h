// How a cluster is reached and what its scheduler is asked for: what a user enters once. Kept in
// QSettings. GUI thread only.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

class QSettings;

namespace cospadi::ui {

struct ClusterProfile {
    QString name;
    QString host;     // of the system's own ssh: a name in its configuration, or user@host; empty:
                      // this machine submits
    QString program;  // `cospadi` there; empty: this window's own, with a host the one on its PATH
    QString folder;   // of the sweeps, as the nodes see it; empty: the program's choice
    // As `cospadi sweep --on slurm` takes them; empty, or 0: as the cluster has it.
    QString partition, time, memory, gpus;
    QString setup;  // a file there
    int cpus = 0;
    int bundle = 1;
    int arrayLimit = 0;

    bool isRemote() const { return !host.isEmpty(); }
    bool operator==(const ClusterProfile&) const = default;
};

QList<ClusterProfile> storedClusterProfiles();
void storeClusterProfiles(const QList<ClusterProfile>& profiles);
// One, in the group of the settings that is open.
ClusterProfile readClusterProfile(const QSettings& settings);
void writeClusterProfile(QSettings& settings, const ClusterProfile& profile);

// `cospadi` with these words, through ssh where the profile names a host.
QStringList clusterCommand(const ClusterProfile& profile, const QStringList& words);

// Of `cospadi sweep` for a grid on standard input; sweep: its name.
QStringList submissionWords(const ClusterProfile& profile, const QString& sweep);

}  // namespace cospadi::ui
