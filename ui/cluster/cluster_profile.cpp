#include "ui/cluster/cluster_profile.h"

#include <QRegularExpression>
#include <QSettings>

#include "ui/engine/command_line.h"
#include "ui/engine/engine_client.h"

namespace cospadi::ui {

namespace {

const QString kProfilesKey = QStringLiteral("clusters");

struct TextField {
    const char* key;
    QString ClusterProfile::*text;
};

constexpr TextField kTexts[] = {
    {"name", &ClusterProfile::name},           {"host", &ClusterProfile::host},
    {"program", &ClusterProfile::program},     {"folder", &ClusterProfile::folder},
    {"partition", &ClusterProfile::partition}, {"time", &ClusterProfile::time},
    {"memory", &ClusterProfile::memory},       {"gpus", &ClusterProfile::gpus},
    {"setup", &ClusterProfile::setup}};

struct NumberField {
    const char* key;
    int ClusterProfile::*number;
};

constexpr NumberField kNumbers[] = {{"cpus", &ClusterProfile::cpus},
                                    {"bundle", &ClusterProfile::bundle},
                                    {"arrayLimit", &ClusterProfile::arrayLimit}};

// A name as part of a path that needs no quotes anywhere.
QString asFolder(QString name) {
    static const QRegularExpression other(QStringLiteral("[^A-Za-z0-9._-]+"));
    return name.replace(other, QStringLiteral("-"));
}

}  // namespace

ClusterProfile readClusterProfile(const QSettings& settings) {
    ClusterProfile profile;
    for (const auto& [key, text] : kTexts) {
        profile.*text = settings.value(QString::fromLatin1(key)).toString();
    }
    for (const auto& [key, number] : kNumbers) {
        profile.*number = settings.value(QString::fromLatin1(key), profile.*number).toInt();
    }
    return profile;
}

void writeClusterProfile(QSettings& settings, const ClusterProfile& profile) {
    for (const auto& [key, text] : kTexts) {
        settings.setValue(QString::fromLatin1(key), profile.*text);
    }
    for (const auto& [key, number] : kNumbers) {
        settings.setValue(QString::fromLatin1(key), profile.*number);
    }
}

QList<ClusterProfile> storedClusterProfiles() {
    QSettings settings;
    QList<ClusterProfile> profiles;
    const int count = settings.beginReadArray(kProfilesKey);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        profiles << readClusterProfile(settings);
    }
    settings.endArray();
    return profiles;
}

void storeClusterProfiles(const QList<ClusterProfile>& profiles) {
    QSettings settings;
    settings.remove(kProfilesKey);
    settings.beginWriteArray(kProfilesKey, static_cast<int>(profiles.size()));
    for (int i = 0; i < profiles.size(); ++i) {
        settings.setArrayIndex(i);
        writeClusterProfile(settings, profiles[i]);
    }
    settings.endArray();
}

QStringList clusterCommand(const ClusterProfile& profile, const QStringList& words) {
    const QString own =
        profile.isRemote() ? QStringLiteral("cospadi") : EngineClient::defaultProgram();
    const QString program = profile.program.isEmpty() ? own : profile.program;
    if (!profile.isRemote()) {
        return QStringList{program} + words;
    }
    QStringList quoted{shellQuoted(program)};
    for (const QString& word : words) {
        quoted << shellQuoted(word);
    }
    // Where a password would be asked for there is nobody to type it.
    return {QStringLiteral("ssh"), QStringLiteral("-o"), QStringLiteral("BatchMode=yes"),
            profile.host, quoted.join(' ')};
}

QStringList submissionWords(const ClusterProfile& profile, const QString& sweep) {
    QStringList words{QStringLiteral("sweep"),  QStringLiteral("-"),
                      QStringLiteral("--name"), sweep,
                      QStringLiteral("--on"),   QStringLiteral("slurm")};
    if (!profile.folder.isEmpty()) {
        words << QStringLiteral("--write-jobs")
              << profile.folder + '/' + asFolder(sweep) + QStringLiteral("/sweep.json");
    }
    const auto add = [&](const char* flag, const QString& value) {
        if (!value.isEmpty()) {
            words << QString::fromLatin1(flag) << value;
        }
    };
    const auto addNumber = [&](const char* flag, int value, int usual) {
        add(flag, value == usual ? QString() : QString::number(value));
    };
    add("--partition", profile.partition);
    add("--time", profile.time);
    add("--mem", profile.memory);
    addNumber("--cpus", profile.cpus, 0);
    add("--gpus", profile.gpus);
    addNumber("--bundle", profile.bundle, 1);
    addNumber("--array-limit", profile.arrayLimit, 0);
    add("--setup", profile.setup);
    if (!profile.gpus.isEmpty()) {
        words << QStringLiteral("--device") << QStringLiteral("cuda");
    }
    return words;
}

}  // namespace cospadi::ui
