#include "ui/cluster/cluster_sweeps.h"

#include <QJsonArray>
#include <QSettings>
#include <QTemporaryFile>
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/store/locations.h"
#include "ui/cluster/cluster_call.h"
#include "ui/engine/command_line.h"

namespace cospadi::ui {

namespace {

const QString kSweepsKey = QStringLiteral("clusterSweeps");
const QString kProfileGroup = QStringLiteral("cluster");  // of a sweep: all of its profile
const QString kProfileName = QStringLiteral("profile");   // in its place in older settings
const QString kJson = QStringLiteral("--json");
constexpr int kLookMilliseconds = 2000;
constexpr int kSeldom = 5;  // of so many looks one is at what is far away, or does nothing

ClusterJob jobFrom(const QJsonObject& row) {
    ClusterJob job;
    job.index = row.value(QStringLiteral("index")).toInt();
    job.id = row.value(QStringLiteral("id")).toString();
    job.title = row.value(QStringLiteral("title")).toString();
    job.directory = row.value(QStringLiteral("directory")).toString();
    job.state = row.value(QStringLiteral("state")).toString();
    job.never = row.value(QStringLiteral("never")).toBool();
    job.process = row.value(QStringLiteral("process")).toString();
    job.reason = row.value(QStringLiteral("reason")).toString();
    job.run = row.value(QStringLiteral("run")).toString();
    job.matrices = row.value(QStringLiteral("matrices")).toInt();
    job.perplexity = row.value(QStringLiteral("perplexity")).toDouble(job.perplexity);
    return job;
}

// Where only the name is known, the profile that has it now.
void completeProfile(ClusterSweep& sweep) {
    const QList<ClusterProfile> profiles = storedClusterProfiles();
    const auto found = std::find_if(
        profiles.begin(), profiles.end(),
        [&](const ClusterProfile& profile) { return profile.name == sweep.profile.name; });
    if (found != profiles.end()) {
        sweep.profile = *found;
        sweep.isProfileKnown = true;
    }
}

const QByteArray kPacked = "cospadi-packed-run";  // a login may say things of its own before

// Packs a run there and writes it to standard output, behind that line.
QString exportScript(const QString& program, const QString& directory) {
    return QStringLiteral(
               "d=$(mktemp -d) && %1 runs export %2 --out \"$d/run.tar\" >&2 && "
               "echo %3 && cat \"$d/run.tar\"; r=$?; rm -rf \"$d\"; exit $r")
        .arg(shellQuoted(program), shellQuoted(directory), QString::fromLatin1(kPacked));
}

}  // namespace

int ClusterSweep::count(const QString& state) const {
    return static_cast<int>(std::count_if(
        jobs.begin(), jobs.end(), [&](const ClusterJob& job) { return job.state == state; }));
}

bool ClusterSweep::isOver() const {
    return !jobs.isEmpty() && std::all_of(jobs.begin(), jobs.end(), [](const ClusterJob& job) {
        return job.state == QLatin1String("done") || job.never;
    });
}

bool ClusterSweep::hasLeft() const {
    return std::any_of(jobs.begin(), jobs.end(), [](const ClusterJob& job) {
        return !job.never && job.state != QLatin1String("done") &&
               job.state != QLatin1String("running");
    });
}

ClusterSweeps::ClusterSweeps(QObject* parent) : QObject(parent) {
    QSettings settings;
    const int count = settings.beginReadArray(kSweepsKey);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        ClusterSweep sweep;
        sweep.name = settings.value(QStringLiteral("name")).toString();
        sweep.file = settings.value(QStringLiteral("file")).toString();
        sweep.isProfileKnown = settings.childGroups().contains(kProfileGroup);
        if (sweep.isProfileKnown) {
            settings.beginGroup(kProfileGroup);
            sweep.profile = readClusterProfile(settings);
            settings.endGroup();
        } else {
            sweep.profile.name = settings.value(kProfileName).toString();
        }
        m_sweeps << sweep;
    }
    settings.endArray();
    m_timer.setInterval(kLookMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &ClusterSweeps::lookAgain);
    if (count > 0) {
        m_timer.start();
    }
}

ClusterSweep* ClusterSweeps::sweepOf(const QString& file) {
    return const_cast<ClusterSweep*>(std::as_const(*this).find(file));
}

const ClusterSweep* ClusterSweeps::find(const QString& file) const {
    const auto found = std::find_if(m_sweeps.begin(), m_sweeps.end(),
                                    [&](const ClusterSweep& sweep) { return sweep.file == file; });
    return found == m_sweeps.end() ? nullptr : &*found;
}

const ClusterSweep* ClusterSweeps::reachable(const QString& file) {
    ClusterSweep* sweep = sweepOf(file);
    if (sweep == nullptr || sweep->isProfileKnown) {
        return sweep;
    }
    completeProfile(*sweep);
    if (sweep->isProfileKnown) {
        store();  // before somebody changes the profile
        return sweep;
    }
    sweep->problem = {tr("the profile “%1” no longer exists").arg(sweep->profile.name), file,
                      tr("create one with that name in “Run on a cluster…”")};
    emit changed();
    return nullptr;
}

void ClusterSweeps::store() const {
    QSettings settings;
    settings.remove(kSweepsKey);
    settings.beginWriteArray(kSweepsKey, static_cast<int>(m_sweeps.size()));
    for (int i = 0; i < m_sweeps.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("name"), m_sweeps[i].name);
        settings.setValue(QStringLiteral("file"), m_sweeps[i].file);
        if (m_sweeps[i].isProfileKnown) {
            settings.beginGroup(kProfileGroup);
            writeClusterProfile(settings, m_sweeps[i].profile);
            settings.endGroup();
        } else {
            settings.setValue(kProfileName, m_sweeps[i].profile.name);
        }
    }
    settings.endArray();
}

ClusterCall* ClusterSweeps::call(const ClusterProfile& profile, const QStringList& words,
                                 const QByteArray& input) {
    return new ClusterCall(clusterCommand(profile, words), input, this);
}

void ClusterSweeps::submit(const ClusterProfile& profile, const QString& name,
                           const QByteArray& grid) {
    ClusterCall* asked = call(profile, submissionWords(profile, name) << kJson, grid);
    connect(asked, &ClusterCall::failed, this, &ClusterSweeps::failed);
    connect(asked, &ClusterCall::answered, this, [this, profile, name](const QJsonObject& answer) {
        const QString file = answer.value(QStringLiteral("sweep")).toString();
        if (const QString problem = answer.value(QStringLiteral("problem")).toString();
            !problem.isEmpty()) {
            emit failed({tr("The scheduler did not accept everything: %1").arg(problem), file,
                         tr("“Start what is missing” submits the rest")});
        }
        m_sweeps.removeIf([&](const ClusterSweep& sweep) { return sweep.file == file; });
        ClusterSweep sweep;
        sweep.name = name;
        sweep.file = file;
        sweep.profile = profile;
        m_sweeps.prepend(sweep);
        store();
        emit submitted(file, answer.value(QStringLiteral("jobs")).toInt());
        look();
    });
}

void ClusterSweeps::preview(const ClusterProfile& profile, const QString& name,
                            const QByteArray& grid) {
    const int number = ++m_preview;
    ClusterCall* asked =
        call(profile, submissionWords(profile, name) << QStringLiteral("--dry-run") << kJson, grid);
    connect(asked, &ClusterCall::answered, this, [this, number](const QJsonObject& answer) {
        if (number == m_preview) {
            emit previewed(answer);
        }
    });
    connect(asked, &ClusterCall::failed, this, [this, number](const EngineError& error) {
        if (number == m_preview) {
            emit previewFailed(error);
        }
    });
}

void ClusterSweeps::look() {
    m_timer.start();
    for (const ClusterSweep& sweep : std::as_const(m_sweeps)) {
        if (!sweep.isOver()) {
            ask(sweep.file);
        }
    }
    emit changed();
}

void ClusterSweeps::lookAgain() {
    const bool atAll = ++m_looks % kSeldom == 0;
    const QList<ClusterSweep> sweeps = m_sweeps;
    for (const ClusterSweep& sweep : sweeps) {
        const bool isQuick =
            !sweep.profile.isRemote() && sweep.count(QStringLiteral("running")) > 0;
        if (!sweep.isOver() && (atAll || isQuick)) {
            ask(sweep.file);
        }
    }
}

void ClusterSweeps::ask(const QString& file) {
    const ClusterSweep* sweep = reachable(file);
    if (sweep == nullptr || m_asked.contains(file)) {
        return;
    }
    m_asked.insert(file);
    ClusterCall* asked =
        call(sweep->profile, {QStringLiteral("sweep"), QStringLiteral("status"), file, kJson});
    connect(asked, &ClusterCall::answered, this, [this, file](const QJsonObject& status) {
        m_asked.remove(file);
        takeStatus(file, status);
    });
    connect(asked, &ClusterCall::failed, this, [this, file](const EngineError& error) {
        m_asked.remove(file);
        if (ClusterSweep* it = sweepOf(file)) {
            it->problem = error;
            emit changed();
        }
    });
}

void ClusterSweeps::takeStatus(const QString& file, const QJsonObject& status) {
    ClusterSweep* sweep = sweepOf(file);
    if (sweep == nullptr) {
        return;  // forgotten meanwhile
    }
    sweep->problem = {};
    sweep->jobs.clear();
    const QJsonArray rows = status.value(QStringLiteral("jobs")).toArray();
    for (const QJsonValue& row : rows) {
        sweep->jobs << jobFrom(row.toObject());
    }
    emit changed();
    if (!sweep->profile.isRemote()) {
        if (status.value(QStringLiteral("merged")).toInt() > 0) {
            emit recorded();
        }
    } else {
        fetchNext(file);
    }
}

void ClusterSweeps::fetchNext(const QString& file) {
    const ClusterSweep* sweep = find(file);
    if (sweep == nullptr || m_fetching.contains(file)) {
        return;
    }
    for (const ClusterJob& job : sweep->jobs) {
        if (job.state == QLatin1String("done") && !m_fetched.contains(job.run) &&
            !std::filesystem::exists(cospadi::runsDirectory() / job.run.toStdString())) {
            fetch(*sweep, job);
            return;
        }
    }
}

// One after another; a run that is here already is passed over by the import.
void ClusterSweeps::fetch(const ClusterSweep& sweep, const ClusterJob& job) {
    const QString file = sweep.file;
    m_fetching.insert(file);
    m_fetched.insert(job.run);
    auto* packed = new QTemporaryFile(this);
    packed->setFileTemplate(packed->fileTemplate() + QStringLiteral(".tar"));
    packed->open();
    const QString program =
        sweep.profile.program.isEmpty() ? QStringLiteral("cospadi") : sweep.profile.program;
    QStringList command = clusterCommand(sweep.profile, {});
    command.last() = exportScript(program, job.directory);
    auto* asked = new ClusterCall(command, {}, this);
    asked->keepFile(packed->fileName(), kPacked);
    const auto over = [this, file, packed] {
        packed->deleteLater();
        m_fetching.remove(file);
        fetchNext(file);
    };
    connect(asked, &ClusterCall::failed, this, &ClusterSweeps::failed);
    connect(asked, &ClusterCall::failed, this, over);
    connect(asked, &ClusterCall::answered, this, [this, packed, over] {
        ClusterCall* import =
            call({}, {QStringLiteral("runs"), QStringLiteral("import"), packed->fileName(), kJson});
        connect(import, &ClusterCall::failed, this, &ClusterSweeps::failed);
        connect(import, &ClusterCall::failed, this, over);
        connect(import, &ClusterCall::answered, this, [this, over] {
            emit recorded();
            over();
        });
    });
}

void ClusterSweeps::cancel(const QString& file, const QList<int>& jobs) {
    const ClusterSweep* sweep = reachable(file);
    if (sweep == nullptr) {
        return;
    }
    QStringList words{QStringLiteral("sweep"), QStringLiteral("cancel"), file, kJson};
    if (!jobs.isEmpty()) {
        QStringList numbers;
        for (const int job : jobs) {
            numbers << QString::number(job);
        }
        words << QStringLiteral("--index") << numbers.join(',');
    }
    ClusterCall* asked = call(sweep->profile, words);
    connect(asked, &ClusterCall::failed, this, &ClusterSweeps::failed);
    connect(asked, &ClusterCall::answered, this, [this, file](const QJsonObject& answer) {
        emit told(tr("%n task(s) (was|were) cancelled; finished matrices are kept.", nullptr,
                     answer.value(QStringLiteral("cancelled")).toInt()));
        ask(file);
    });
}

void ClusterSweeps::startMissing(const QString& file) {
    const ClusterSweep* sweep = reachable(file);
    if (sweep == nullptr) {
        return;
    }
    ClusterCall* asked =
        call(sweep->profile, {QStringLiteral("sweep"), QStringLiteral("resume"), file, kJson});
    connect(asked, &ClusterCall::failed, this, &ClusterSweeps::failed);
    connect(asked, &ClusterCall::answered, this, [this, file](const QJsonObject& answer) {
        int tasks = 0;
        const QJsonArray arrays = answer.value(QStringLiteral("arrays")).toArray();
        for (const QJsonValue& array : arrays) {
            tasks += array[QStringLiteral("tasks")].toInt();
        }
        emit told(tasks == 0 ? tr("Everything missing is already queued.")
                             : tr("%n task(s) (was|were) submitted.", nullptr, tasks));
        ask(file);
    });
}

void ClusterSweeps::forget(const QString& file) {
    m_sweeps.removeIf([&](const ClusterSweep& sweep) { return sweep.file == file; });
    store();
    emit changed();
}

QStringList ClusterSweeps::followCommand(const QString& file, int job) const {
    const ClusterSweep* sweep = find(file);
    return sweep == nullptr
               ? QStringList()
               : clusterCommand(sweep->profile,
                                {QStringLiteral("sweep"), QStringLiteral("follow"), file,
                                 QStringLiteral("--index"), QString::number(job)});
}

}  // namespace cospadi::ui
