#include "core/lm_eval/python_environment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// What a failed program said last: the lines that tell why.
std::string lastLines(const std::string& text) {
    constexpr std::size_t kBytes = 600;
    return text.size() > kBytes ? "…" + text.substr(text.size() - kBytes) : text;
}

void requireSuccess(const ChildCommand& command, const std::string& hint,
                    const std::stop_token& stop) {
    std::string said;
    const ChildOutcome outcome = runChild(
        command, [&](std::string_view text) { said += text; }, stop);
    if (outcome.stopped) {
        throw Error("cancelled", "lm-eval", "start the same command again");
    }
    if (outcome.exitCode != 0) {
        throw Error(fmt::format("ended with {}: {}", outcome.exitCode, lastLines(said)),
                    fmt::format("{}", fmt::join(command.arguments, " ")), hint);
    }
}

// Held by whoever makes the environment; goes with the process.
class SetupLock {
  public:
    SetupLock(const fs::path& path, const std::stop_token& stop)
        : m_file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        while (::flock(m_file, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK || stop.stop_requested()) {
                ::close(m_file);
                throw Error("cannot be locked", path.string(),
                            "another cospadi may be setting lm-eval up; try again later");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    }
    ~SetupLock() { ::close(m_file); }
    SetupLock(const SetupLock&) = delete;
    SetupLock& operator=(const SetupLock&) = delete;

  private:
    int m_file;
};

// Where its package lies, as the interpreter itself says; also shows that it can be imported.
fs::path tasksOf(const fs::path& python, const std::stop_token& stop) {
    const ChildCommand ask{{python.string(), "-c",
                            "import lm_eval, os, importlib.metadata as m; "
                            "print(m.version('lm_eval')); "
                            "print(os.path.join(os.path.dirname(lm_eval.__file__), 'tasks'))"},
                           {}};
    std::string said;
    const ChildOutcome outcome = runChild(
        ask, [&](std::string_view text) { said += text; }, stop);
    const std::size_t end = said.find('\n');
    const std::string version = said.substr(0, end);
    if (outcome.exitCode != 0 || end == std::string::npos || version != lmEvalVersion) {
        throw Error(fmt::format("has no lm-eval {}: {}", lmEvalVersion, lastLines(said)),
                    python.string(), fmt::format("pip install 'lm-eval[api]=={}'", lmEvalVersion));
    }
    const std::string path = said.substr(end + 1);
    return path.substr(0, path.find('\n'));
}

}  // namespace

PythonEnvironment lmEvalEnvironment(const std::function<void(const std::string&)>& onStep,
                                    const std::stop_token& stop) {
    if (const char* given = std::getenv("COSPADI_LM_EVAL_PYTHON"); given != nullptr) {
        return {given, tasksOf(given, stop)};
    }
    const fs::path folder = dataDirectory() / (std::string("lm-eval-") + lmEvalVersion);
    const fs::path python = folder / "bin" / "python";
    const fs::path ready = folder / "ready";  // written last
    fs::create_directories(folder.parent_path());
    const SetupLock lock(folder.string() + ".lock", stop);
    if (!fs::exists(ready)) {
        const auto tell = [&](const std::string& step) {
            if (onStep) {
                onStep(step);
            }
        };
        fs::remove_all(folder);
        tell("a Python environment in " + folder.string());
        requireSuccess({{"python3", "-m", "venv", folder.string()}, {}},
                       "install python3 and python3-venv", stop);
        tell(fmt::format("lm-eval {} and what it needs (about 400 MB)", lmEvalVersion));
        requireSuccess(
            {{python.string(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
              fmt::format("lm-eval[api]=={}", lmEvalVersion)},
             {}},
            "check the network and the free space, then try again", stop);
        writeFileAtomically(ready, tasksOf(python, stop).string() + "\n");
    }
    std::ifstream stream(ready);
    std::string tasks;
    std::getline(stream, tasks);
    return {python, tasks};
}

}  // namespace cospadi
