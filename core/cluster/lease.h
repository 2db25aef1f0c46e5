// Who is at work on a folder that several machines share. Locks of the system (run_lock.h) end with
// their process but do not reach across every network file system; a lease does, by files alone.
//
// Each attempt at the work is a file, attempt-0001.json, attempt-0002.json, …, of which the highest
// counts: it names its process and, once the attempt is over, how it ended. An open one is alive
// while its file is touched (the heartbeat, six times in a lease's length) and its process, where
// that can be looked at from here, is there; else it is lost. To take the lease is to make the next
// file, by a hard link, which the file system grants to one alone: whoever took over a lost lease
// did so once, without any lock. Files of earlier attempts stay, since to remove one would let it
// be made again. An open attempt takes the room that its end will need, so that a full disk does
// not keep it from being told.
//
// Ages are differences of two times of modification on that file system: clocks of machines may
// differ as they like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/cluster/process_identity.h"

namespace cospadi {

inline constexpr double kLeaseSeconds = 120;  // without a heartbeat, and it is lost

// How an attempt went, by its holder's words.
enum class AttemptEnd { Open, Done, Again, Never, Failed };
const char* name(AttemptEnd end);

struct Attempt {
    int number = 0;
    ProcessIdentity process;
    std::string scheduler;  // its name for the job, such as "slurm 17_3"; may be empty
    AttemptEnd end = AttemptEnd::Open;
    std::string reason;  // of an end other than done
    std::filesystem::path file;
};

// The newest; empty where there was none. A file that cannot be read is an open attempt of nobody.
std::optional<Attempt> newestAttempt(const std::filesystem::path& folder);

// What time the file system of `folder` says that it is, by a file made for that; where none can be
// made, this machine's time.
std::filesystem::file_time_type timeOfFileSystem(const std::filesystem::path& folder);

// Open, its heart beating at `now`, and its process not known to be gone.
bool isAlive(const Attempt& attempt, double leaseSeconds, std::filesystem::file_time_type now);

class Lease {
  public:
    // Makes the folder where it is missing. Null where a live attempt holds it, or where the work
    // is done, which is asked once no attempt is seen to be alive: whoever asked before would begin
    // again what another one has ended meanwhile. Throws Error where the folder may not be written.
    static std::unique_ptr<Lease> tryTake(const std::filesystem::path& folder, double leaseSeconds,
                                          const std::function<bool()>& isDone = {});

    ~Lease();  // stops the heartbeat; what was not ended is lost from then on
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    int attempt() const { return m_number; }
    // Whether no other has taken over, which may happen to a process that was halted for long.
    bool isMine() const;
    // Asked to stop when that is found out by a heartbeat.
    std::stop_token takenOver() const;
    // Nothing where somebody else took over. A reason may be cut on a full disk. That it cannot be
    // written is no error: the lease is found lost then.
    void end(AttemptEnd how, const std::string& reason = "");

  private:
    Lease(std::filesystem::path folder, int number, double seconds);

    struct Heart;
    std::filesystem::path m_folder;
    int m_number;
    std::unique_ptr<Heart> m_heart;
};

}  // namespace cospadi
