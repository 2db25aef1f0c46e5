#include "core/lm_eval/python_environment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Where Python finds nothing but what the system's administrator put there.
constexpr const char* kNobodysFolder = "/";

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
        throw Error("cancelled", "lm-eval", "run the same command again");
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
                            "another cospadi may be setting up lm-eval; try again later");
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

// What was printed before, such as warnings of the packages that are imported, is none of it.
std::pair<std::string, std::string> lastTwoLines(const std::string& text) {
    std::istringstream lines(text);
    std::pair<std::string, std::string> last;
    for (std::string line; std::getline(lines, line);) {
        last = {std::move(last.second), std::move(line)};
    }
    return last;
}

// Where its package lies, as the interpreter itself says; also shows that it can be imported.
fs::path tasksOf(const fs::path& python, const std::stop_token& stop) {
    const ChildCommand ask{{python.string(), "-c",
                            "import lm_eval, os, importlib.metadata as m; "
                            "print(m.version('lm_eval')); "
                            "print(os.path.join(os.path.dirname(lm_eval.__file__), 'tasks'))"},
                           {{kSafePath, "1"}},
                           kNobodysFolder};
    std::string said;
    const ChildOutcome outcome = runChild(
        ask, [&](std::string_view text) { said += text; }, stop);
    const auto [version, path] = lastTwoLines(said);
    if (outcome.exitCode != 0 || version != lmEvalVersion) {
        throw Error(fmt::format("has no lm-eval {}: {}", lmEvalVersion, lastLines(said)),
                    python.string(),
                    fmt::format("run pip install 'lm-eval[api,ifeval,math]=={}'", lmEvalVersion));
    }
    return path;
}

// The locked packages are for Python 3.11 and newer.
void requirePython(const std::stop_token& stop) {
    std::string said;
    const ChildOutcome outcome = runChild(
        {{"python3", "-I", "-c",
          "import sys; print('%d.%d' % sys.version_info[:2]); "
          "sys.exit(sys.version_info < (3, 11))"},
         {},
         kNobodysFolder},
        [&](std::string_view text) { said += text; }, stop);
    if (outcome.exitCode == 0) {
        return;
    }
    const std::string hint = fmt::format(
        "install Python 3.11 or newer as python3, or set COSPADI_LM_EVAL_PYTHON to one with "
        "lm-eval {}",
        lmEvalVersion);
    if (outcome.exitCode == 1) {
        throw Error(fmt::format("is {}; the locked lm-eval requires 3.11 or newer",
                                said.substr(0, said.find('\n'))),
                    "python3", hint);
    }
    throw Error(fmt::format("cannot be started: {}", lastLines(said)), "python3", hint);
}

// Isolated, from the locked list: no package in another version, no file with another hash. The
// list is complete, so that nothing else is looked for (--no-deps).
void install(const fs::path& python, const std::string& list,
             const std::vector<std::string>& options, const std::stop_token& stop) {
    std::vector<std::string> arguments = {python.string(),
                                          "-I",
                                          "-m",
                                          "pip",
                                          "install",
                                          "--quiet",
                                          "--disable-pip-version-check",
                                          "--no-deps",
                                          "--require-hashes",
                                          "--requirement",
                                          resourcePath("lm_eval/" + list).string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    requireSuccess({arguments, {{kSafePath, "1"}}, kNobodysFolder},
                   "check the network and free disk space, then try again", stop);
}

// The file that is written last: where the tasks are, and which list was installed.
bool isReady(const fs::path& file, const std::string& list) {
    std::ifstream stream(file);
    std::string tasks;
    std::string installed;
    return std::getline(stream, tasks) && std::getline(stream, installed) && installed == list;
}

}  // namespace

PythonEnvironment lmEvalEnvironment(const std::function<void(const std::string&)>& onStep,
                                    const std::stop_token& stop) {
    if (const char* given = std::getenv("COSPADI_LM_EVAL_PYTHON"); given != nullptr) {
        // A path is meant from here, a word is looked for on the PATH.
        const bool isPath = std::string_view(given).find('/') != std::string_view::npos;
        const fs::path python = isPath ? fs::absolute(given) : fs::path(given);
        return {python, tasksOf(python, stop)};
    }
    const fs::path folder =
        fs::absolute(dataDirectory()) / (std::string("lm-eval-") + lmEvalVersion);
    const fs::path python = folder / "bin" / "python";
    const fs::path ready = folder / "ready";  // written last
    fs::create_directories(folder.parent_path());
    const SetupLock lock(folder.string() + ".lock", stop);
    // An environment of another list lacks packages or has them in other versions.
    const std::string list = sha256OfFile(resourcePath("lm_eval/requirements.txt"));
    if (!isReady(ready, list)) {
        const auto tell = [&](const std::string& step) {
            if (onStep) {
                onStep(step);
            }
        };
        requirePython(stop);
        fs::remove_all(folder);
        tell("creating a Python environment in " + folder.string());
        requireSuccess(
            {{"python3", "-I", "-m", "venv", folder.string()}, {{kSafePath, "1"}}, kNobodysFolder},
            "install python3 and python3-venv", stop);
        tell(fmt::format("installing lm-eval {} and its dependencies (about 400 MB)",
                         lmEvalVersion));
        install(python, "build.txt", {}, stop);
        // What comes as sources is built with the setuptools of build.txt, not with one fetched
        // meanwhile.
        install(python, "requirements.txt", {"--no-build-isolation"}, stop);
        writeFileAtomically(ready, tasksOf(python, stop).string() + "\n" + list + "\n");
    }
    std::ifstream stream(ready);
    std::string tasks;
    std::getline(stream, tasks);
    return {python, tasks};
}

}  // namespace cospadi
