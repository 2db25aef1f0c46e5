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

}  // namespace cospadi
