// A real Slurm of one node with two CPUs (tests/slurm/one-node) and sweeps on it. It runs in a
// mount namespace of the test's own, so that file systems may be mounted that no other process
// sees.
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <QStandardPaths>
#include <QtTest>
#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/core/jobs_under_test.h"

class SlurmUnderTest : public JobsUnderTest {
  public:
    // Why there can be none here; empty where it was started.
    QString startSlurm(const QStringList& configuration = {}) {
        environment.insert("PATH", environment.value("PATH") + ":/usr/sbin");
        const QStringList path = environment.value("PATH").split(':');
        for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"}) {
            if (QStandardPaths::findExecutable(program, path).isEmpty()) {
                return QString("no %1: slurm-wlm and munge are not installed").arg(program);
            }
        }
        if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 ||
            mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            return "a Slurm of one's own needs root, and a mount namespace";
        }
        QStringList lines{"MaxArraySize=4"};
        if (environment.contains("COSPADI_TEST_SLURM_PLUGINS")) {
            lines << "PluginDir=" + environment.value("COSPADI_TEST_SLURM_PLUGINS");
        }
        m_runs = true;  // from here on there may be something to end
        const CliOutcome started =
            run(QStringList{"start", place("node")} + lines + configuration, kOneNode);
        if (started.exitCode != 0) {
            qFatal("%s", qPrintable(started.error));
        }
        environment.insert("SLURM_CONF", place("node/slurm.conf"));
        return {};
    }

    void stopSlurm() {
        if (m_runs) {
            ask({"scancel", "--user=root"});
            run({"stop", place("node")}, kOneNode);
        }
    }

    QStringList submitting(const QString& name, const QStringList& grid) const {
        return QStringList{"sweep", model()} + grid +
               QStringList{"--write-jobs", sweepFile(name), "--on", "slurm", "--json"};
    }

    static std::string stateOf(const json& told, std::size_t job) {
        return told.at("jobs").at(job).at("state");
    }

    static QString reasonOf(const json& told, std::size_t job) {
        return QString::fromStdString(told.at("jobs").at(job).at("reason").get<std::string>());
    }

    QString ask(const QStringList& command) const {
        return QString::fromUtf8(run(command.mid(1), command.front()).out).trimmed();
    }

    static bool comes(const std::function<bool()>& condition, int milliseconds = 120'000) {
        return QTest::qWaitFor(condition, milliseconds);
    }

    // Nothing of anybody is in the queue or at work.
    bool isIdle() const { return ask({"squeue", "-h"}).isEmpty(); }

    bool isDone(const QString& name, int jobs) const {
        return comes([&] { return status(name).at("done") == jobs; });
    }

    bool areAtWork(const QString& name, const std::vector<std::size_t>& jobs) const {
        return comes([&] {
            const json told = status(name);
            return std::all_of(jobs.begin(), jobs.end(), [&](std::size_t job) {
                return stateOf(told, job) == "running" &&
                       told.at("jobs").at(job).at("matrices") > 0;
            });
        });
    }

    // Of "4711 on HOST, slurm 17_3" the part that stands where.
    static QString processOf(const json& told, std::size_t job, bool scheduler) {
        const QString text =
            QString::fromStdString(told.at("jobs").at(job).at("process").get<std::string>());
        return scheduler ? text.section("slurm ", 1) : text.section(' ', 0, 0);
    }

    // What waits in the queue for a time to come need not.
    void hurry() const {
        for (const QString& task :
             ask({"squeue", "-h", "-r", "-t", "PD", "-o", "%i %r"}).split('\n')) {
            if (task.contains("BeginTime")) {
                ask({"scontrol", "update", "jobid=" + task.section(' ', 0, 0), "starttime=now"});
            }
        }
    }

    Path runOf(const QString& name, const json& job) const {
        return Path(place(name).toStdString()) / "runs" / job.at("id").get<std::string>();
    }

    json jobsOf(const QString& name) const {
        return json::parse(oracle::text(sweepFile(name).toStdString())).at("jobs");
    }

    // The matrices that `compress` makes of a job's ratio.
    std::map<std::string, std::string> localOf(const QString& name, const json& job,
                                               const QStringList& settings) const {
        const QString cr = QString::number(job.at("specification").at("cr").get<double>());
        return local(settings + QStringList{"--cr", cr}, name + "-local-" + cr);
    }

    // Of every job of the file, its matrices against those of `compress`.
    void compareWithLocalRuns(const QString& name, const QStringList& settings) {
        for (const json& job : jobsOf(name)) {
            const auto here = localOf(name, job, settings);
            QVERIFY(!here.empty());
            QVERIFY(matrix_contents::ofRun(runOf(name, job)) == here);
        }
    }

  private:
    const QString kOneNode = COSPADI_SOURCE_DIR "/tests/slurm/one-node";
    bool m_runs = false;
};
