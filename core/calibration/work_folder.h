// Folders of the cache: found, or filled once and found by the next. Until one is whole it is
// <finished>.partial, held by one process at a time; what an earlier attempt left there is gone on
// from.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"

namespace cospadi {

std::filesystem::path partialOf(const std::filesystem::path& finished);

class WorkFolder {
  public:
    // Makes the folder, where it is not there from an earlier attempt. Throws
    // std::filesystem::filesystem_error.
    explicit WorkFolder(const std::filesystem::path& finished);
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    bool held() const { return m_held; }  // false: another process has it
    const std::filesystem::path& path() const { return m_path; }
    void publish() const;  // under its final name, in the place of a damaged one

  private:
    std::filesystem::path m_finished;
    std::filesystem::path m_path;
    int m_lock = -1;
    bool m_held = false;
};

enum class Filling { Cancelled, AsFarAsAsked, Whole };

// open(path): what a folder holds, mapped, or nullopt where that is not all that is asked for,
// damaged or of other settings. fill(path): cancelled, nullopt is returned; filled as far as asked,
// the folder stays the partial one. useCache: else a temporary folder is filled, as where the cache
// cannot be written or another process is filling the same, which `cacheProblem` tells. Set has
// fromCache, seconds and cacheProblem.
template <typename Set>
std::optional<Set> cachedOrFilled(
    const std::filesystem::path& folder, bool useCache,
    const std::function<std::optional<Set>(const std::filesystem::path&)>& open,
    const std::function<Filling(const std::filesystem::path&)>& fill) {
    const Stopwatch clock;
    std::string problem;
    const auto finished = [&](std::optional<Set> set) {
        if (!set) {
            throw Error("the files just written cannot be read back", folder.string(),
                        "another program is changing these files; start again");
        }
        set->seconds = clock.seconds();
        set->cacheProblem = problem;
        return set;
    };
    if (useCache) {
        if (std::optional<Set> cached = open(folder)) {
            cached->fromCache = true;
            return finished(std::move(cached));
        }
        try {
            const WorkFolder work(folder);
            if (work.held()) {
                switch (fill(work.path())) {
                    case Filling::Cancelled:
                        return std::nullopt;
                    case Filling::Whole:
                        work.publish();
                        return finished(open(folder));
                    case Filling::AsFarAsAsked:
                        return finished(open(work.path()));
                }
            }
            problem = "another process is doing the same";
        } catch (const std::filesystem::filesystem_error& error) {
            problem = error.what();  // costs time later, not this result
        } catch (const Error& error) {
            if (!error.where().starts_with(folder.string())) {
                throw;
            }
            problem = error.what();
        }
    }
    // Gone when this returns: what is mapped stays readable.
    const TemporaryFolder temporary = TemporaryFolder::unique("cospadi-calibration");
    if (fill(temporary.path()) == Filling::Cancelled) {
        return std::nullopt;
    }
    return finished(open(temporary.path()));
}

}  // namespace cospadi
