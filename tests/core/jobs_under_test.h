// Sweep files on the command line, and their jobs as a scheduler would start them.
#pragma once

#include <QtTest>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/core/matrix_contents.h"
#include "tests/core/oracle_data.h"

class JobsUnderTest : public CliUnderTest {
  public:
    using json = nlohmann::json;
    using Path = std::filesystem::path;

    static constexpr int kDone = 0;
    static constexpr int kFailed = 1;
    static constexpr int kUsage = 2;
    static constexpr int kNever = 42;
    static constexpr int kAgain = 75;

    // Some seconds of work, in matrices of a fraction of one.
    const QStringList kSlow{"--method",     "cospadi-free", "--solver",    "ksvd",
                            "--iterations", "300",          "--tolerance", "0"};
    const QStringList kQuick{"--method", "svd", "--layers", "attn_"};

    QString sweepFile(const QString& name) const { return place(name + "/sweep.json"); }

    CliOutcome write(const QString& name, const QStringList& grid) const {
        return run(QStringList{"sweep", model()} + grid +
                   QStringList{"--write-jobs", sweepFile(name), "--json"});
    }

    QStringList jobArguments(const QString& name, const QStringList& more) const {
        return QStringList{"job", "--sweep", sweepFile(name), "--json"} + more;
    }

    CliOutcome job(const QString& name, int index, const QStringList& more = {}) const {
        return run(jobArguments(name, QStringList{"--index", QString::number(index)} + more));
    }

    json status(const QString& name) const {
        return run({"sweep", "status", sweepFile(name), "--json"}).object();
    }

    std::unique_ptr<QProcess> start(const QString& name, int index) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(environment);
        process->start(COSPADI_CLI, jobArguments(name, {"--index", QString::number(index)}));
        return process;
    }

    Path stateOf(const QString& name, int index) const {
        const auto i = static_cast<std::size_t>(index);
        std::ifstream file(sweepFile(name).toStdString());
        const json sweep = json::parse(file);
        return Path(place(name).toStdString()) / "jobs" /
               sweep.at("jobs").at(i).at("id").get<std::string>();
    }

    Path runOf(const QString& name, int index) const {
        return Path(place(name).toStdString()) / "runs" / stateOf(name, index).filename();
    }

    // Whether it was met before the time was up.
    static bool comes(const std::function<bool()>& condition) {
        return QTest::qWaitFor(condition, 60'000);
    }

    bool hasMatrices(const QString& name, int index, std::size_t count) const {
        std::error_code failed;
        std::size_t found = 0;
        for (std::filesystem::directory_iterator entry(runOf(name, index) / "matrices", failed),
             end;
             !failed && entry != end; entry.increment(failed)) {
            found += entry->path().extension() == ".safetensors" ? 1 : 0;
        }
        return found >= count;
    }

    // The same settings by `compress`.
    std::map<std::string, std::string> local(const QStringList& settings,
                                             const QString& out) const {
        const CliOutcome made =
            run(QStringList{"compress", model(), "--no-model", "--out", place(out)} + settings);
        return made.exitCode == 0 ? matrix_contents::ofRun(place(out).toStdString())
                                  : std::map<std::string, std::string>();
    }

    // An open attempt of another machine.
    static void putAttemptOfAnother(const Path& state, std::chrono::seconds age) {
        std::filesystem::create_directories(state);
        const Path file = state / "attempt-0001.json";
        std::ofstream(file) << json{
            {"format", 1},
            {"process", {{"host", "node9"}, {"boot", "x"}, {"pid_namespace", "y"}, {"pid", 4711}}},
            {"end", "open"}};
        std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - age);
    }
};
