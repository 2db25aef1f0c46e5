#include "core/cluster/job_processes.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <set>
#include <string>

#include "core/cluster/job_calibrations.h"
#include "core/cluster/lease.h"

namespace cospadi {

namespace {

constexpr std::chrono::milliseconds kLook{250};
constexpr std::size_t kPiece = std::size_t{1} << 20U;  // bytes read at once

bool isAtWork(const SweepContract& contract, std::size_t job) {
    const auto attempt = newestAttempt(contract.stateOf(job));
    return attempt &&
           isAlive(*attempt, contract.execution.leaseSeconds, timeOfFileSystem(contract.folder()));
}

bool isOfThisMachine(const Attempt& attempt) {
    return attempt.end == AttemptEnd::Open && existenceOf(attempt.process) == Existence::Runs;
}

// Those of this machine that hold the leases of these jobs.
std::set<std::int64_t> processesHere(const SweepContract& contract,
                                     const std::vector<std::size_t>& jobs) {
    std::set<std::int64_t> processes;
    for (const std::size_t job : jobs) {
        const auto attempt = newestAttempt(contract.stateOf(job));
        if (attempt && isOfThisMachine(*attempt)) {
            processes.insert(attempt->process.pid);
        }
    }
    return processes;
}

std::vector<std::size_t> allBut(const SweepContract& contract,
                                const std::vector<std::size_t>& jobs) {
    const std::set<std::size_t> named(jobs.begin(), jobs.end());
    std::vector<std::size_t> others;
    for (std::size_t job = 0; job < contract.jobs.size(); ++job) {
        if (!named.contains(job)) {
            others.push_back(job);
        }
    }
    return others;
}

// A file that another process appends to.
class GrowingLines {
  public:
    explicit GrowingLines(std::filesystem::path path) : m_path(std::move(path)) {}

    // What has come since; false where nothing has.
    bool read(const std::function<void(std::string_view)>& onLine) {
        std::ifstream file(m_path, std::ios::binary);  // anew: what NFS keeps of an open one is old
        file.seekg(m_place);
        std::string piece(kPiece, '\0');
        bool any = false;
        while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())),
               file.gcount() > 0) {
            any = true;
            m_place += file.gcount();
            m_rest.append(piece, 0, static_cast<std::size_t>(file.gcount()));
            std::size_t begin = 0;
            for (std::size_t end; (end = m_rest.find('\n', begin)) != std::string::npos;
                 begin = end + 1) {
                onLine(std::string_view(m_rest).substr(begin, end - begin));
            }
            m_rest.erase(0, begin);
        }
        return any;
    }

  private:
    std::filesystem::path m_path;
    std::streamoff m_place = 0;
    std::string m_rest;  // of a line that is not whole yet
};

}  // namespace

std::size_t stopProcesses(const SweepContract& contract, const std::vector<std::size_t>& jobs) {
    std::set<std::int64_t> meant = processesHere(contract, jobs);
    CalibrationsAtWork calibrations(contract, isOfThisMachine);
    if (!calibrations.empty()) {
        const std::set<std::int64_t> ofOthers = processesHere(contract, allBut(contract, jobs));
        for (const std::size_t job : jobs) {
            const Attempt* attempt = calibrations.of(job);
            if (attempt != nullptr && !ofOthers.contains(attempt->process.pid)) {
                meant.insert(attempt->process.pid);
            }
        }
    }
    return static_cast<std::size_t>(std::count_if(
        meant.begin(), meant.end(),
        [](std::int64_t process) { return ::kill(static_cast<pid_t>(process), SIGTERM) == 0; }));
}

void followEvents(const SweepContract& contract, std::size_t job,
                  const std::function<void(std::string_view)>& onLine,
                  const std::stop_token& stop) {
    GrowingLines lines(contract.runOf(job) / "events.jsonl");
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        // Asked before reading: what was written before the process ended is then read below.
        const bool isOpen = isAtWork(contract, job);
        if (!lines.read(onLine) && !isOpen) {
            return;
        }
        wake.wait_for(lock, stop, kLook, [] { return false; });
    }
}

}  // namespace cospadi
