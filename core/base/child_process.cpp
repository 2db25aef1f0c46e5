#include "core/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "core/base/error.h"

extern char** environ;

namespace cospadi {

namespace {

constexpr int kLookAround = 100;  // milliseconds between looks at the stop token
constexpr std::chrono::seconds kPatience{5};

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& added) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (!added.contains(text.substr(0, text.find('=')))) {
            all.push_back(text);
        }
    }
    for (const auto& [name, value] : added) {
        all.push_back(std::string(name).append("=").append(value));
    }
    return all;
}

// In the child, between fork and exec: nothing but system calls, other threads may hold any lock.
[[noreturn]] void becomeProgram(pid_t parent, int output, const char* folder,
                                char* const* arguments, char* const* environment) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {  // it ended before the line above
        _exit(127);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) {
        std::signal(signal, SIG_DFL);  // no handler of the parent runs here
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int input = open("/dev/null", O_RDONLY);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (*folder == '\0' || chdir(folder) == 0) {
        execvpe(arguments[0], arguments, environment);
    }
    const char* reason = std::strerror(errno);
    [[maybe_unused]] auto written = write(STDERR_FILENO, reason, std::strlen(reason));
    _exit(127);
}

}  // namespace

ChildOutcome runChild(const ChildCommand& command,
                      const std::function<void(std::string_view)>& onOutput,
                      const std::stop_token& stop) {
    std::vector<std::string> arguments = command.arguments;
    std::vector<std::string> environment = environmentWith(command.environment);
    const std::vector<char*> argumentPointers = pointersTo(arguments);
    const std::vector<char*> environmentPointers = pointersTo(environment);
    std::array<int, 2> output{};
    const pid_t parent = getpid();
    const bool hasPipe = pipe2(output.data(), O_CLOEXEC) == 0;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // until the child has no handlers any more
    const pid_t child = hasPipe ? fork() : -1;
    if (child != 0) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    if (child < 0) {
        throw Error(std::string("cannot be started: ") + std::strerror(errno),
                    command.arguments.front(), "free some memory and try again");
    }
    if (child == 0) {
        becomeProgram(parent, output[1], command.folder.c_str(), argumentPointers.data(),
                      environmentPointers.data());
    }
    setpgid(child, child);  // here too: whoever comes first
    close(output[1]);

    ChildOutcome outcome;
    std::chrono::steady_clock::time_point stopAsked;
    int status = 0;
    bool hasEnded = false;
    bool hasOutput = true;
    while (!hasEnded) {
        if (stop.stop_requested() && !outcome.stopped) {
            outcome.stopped = true;
            stopAsked = std::chrono::steady_clock::now();
            kill(-child, SIGTERM);
        } else if (outcome.stopped && std::chrono::steady_clock::now() - stopAsked > kPatience) {
            kill(-child, SIGKILL);
        }
        pollfd watched{hasOutput ? output[0] : -1, POLLIN, 0};
        if (poll(&watched, 1, kLookAround) > 0) {
            std::array<char, 4096> bytes{};
            const ssize_t count = read(output[0], bytes.data(), bytes.size());
            hasOutput = count > 0;
            if (count > 0) {
                onOutput({bytes.data(), static_cast<std::size_t>(count)});
                continue;
            }
        }
        hasEnded = waitpid(child, &status, WNOHANG) == child;
    }
    kill(-child, SIGKILL);
    close(output[0]);
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome;
}

}  // namespace cospadi
