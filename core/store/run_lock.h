// The lock of a run directory, run.lock: whoever writes the run, deletes it or packs it up holds it
// for as long as that takes. It ends with the process.
#pragma once

#include <filesystem>
#include <optional>

namespace cospadi {

class RunLock {
  public:
    // Empty where another process holds it. Throws Error where the directory may not be written.
    static std::optional<RunLock> tryTake(const std::filesystem::path& run);

    RunLock(RunLock&& other) noexcept;
    RunLock& operator=(RunLock&& other) noexcept;
    ~RunLock();

  private:
    explicit RunLock(int descriptor) : m_descriptor(descriptor) {}

    int m_descriptor;
};

// Whether a process holds it, which a lock of one's own counts as, too.
bool isBeingWritten(const std::filesystem::path& run);

// The process of this machine that holds it, as the kernel knows. None where no other process does,
// where it is another user's, or another machine's.
std::optional<int> processWriting(const std::filesystem::path& run);

}  // namespace cospadi
