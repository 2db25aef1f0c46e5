#include "app/cli/session.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "core/base/byte_text.h"
#include "core/base/printable_text.h"

namespace cospadi::cli {

namespace {

sigset_t stopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    return signals;
}

// Libraries have threads from before main() (OpenBLAS), which block nothing: a signal that reaches
// one of them goes on to the thread that waits for it.
pthread_t waitingThread;

std::atomic<int> exitCodeAtOnce{kCancelled};

void passOn(int signal) { pthread_kill(waitingThread, signal); }

constexpr double kTerminalInterval = 0.1;  // seconds between redraws
constexpr double kLogInterval = 10;        // and between lines where there is no terminal
constexpr std::size_t kBarWidth = 24;

double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

SignalStop::SignalStop() {
    // Blocked in all threads (they inherit the mask) and taken by this one.
    const sigset_t signals = stopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_waiter = std::jthread([this, signals](const std::stop_token& quit) {
        while (!quit.stop_requested()) {
            const timespec patience{0, 50'000'000};
            if (sigtimedwait(&signals, nullptr, &patience) > 0) {
                if (m_source.stop_requested()) {
                    _exit(exitCodeAtOnce);
                }
                m_source.request_stop();
            }
        }
    });
    waitingThread = m_waiter.native_handle();
    struct sigaction action {};
    action.sa_handler = passOn;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGUSR1, &action, nullptr);
}

SignalStop::~SignalStop() {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}

void SignalStop::endAtOnceWith(int exitCode) { exitCodeAtOnce = exitCode; }

void refuseGiven(const std::vector<Argument>& arguments, const std::string& problem,
                 const std::string& hint) {
    for (const Argument& argument : arguments) {
        if (argument.count() > 0) {
            throw UsageError(problem, argument.name(), hint);
        }
    }
}

ProgressLine::ProgressLine()
    : m_terminal(isatty(STDERR_FILENO) != 0), m_lastShown(m_terminal ? -1e9 : now()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const Progress& p, const std::string& detail) {
    const double time = now();
    const bool isNews = m_terminal && (p.stage != m_lastStage || p.done == p.total);
    if (!isNews && time - m_lastShown < (m_terminal ? kTerminalInterval : kLogInterval)) {
        return;
    }
    m_lastShown = time;
    m_lastStage = p.stage;
    std::string text = fmt::format("{:<12}", p.stage);
    if (p.total > 0) {
        const double share = static_cast<double>(p.done) / static_cast<double>(p.total);
        if (m_terminal) {
            const auto filled = static_cast<std::size_t>(share * kBarWidth);
            text += fmt::format("[{}{}] ", std::string(filled, '#'),
                                std::string(kBarWidth - filled, '.'));
        }
        text += fmt::format("{:>3.0f} %  {}/{}", 100 * share, p.done, p.total);
    }
    text += "  " + clockSeconds(p.seconds);
    if (p.etaSeconds >= 0 && p.done < p.total) {
        text += "  ETA " + clockSeconds(p.etaSeconds);
    }
    if (!detail.empty()) {
        text += "  " + printableLine(detail);
    }
    if (m_terminal) {
        fmt::print(stderr, "\r\033[K{}", text);
        std::fflush(stderr);
    } else {
        fmt::print(stderr, "{}\n", text);
    }
}

void ProgressLine::clear() {
    if (m_terminal && !m_lastStage.empty()) {
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
    }
    m_lastStage.clear();
}

namespace {

// Names of files need not be UTF-8, JSON does. nlohmann escapes control characters below 0x20, a
// terminal obeys others as well.
void printJson(const nlohmann::json& object) {
    const std::string text = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    fmt::print("{}\n", isatty(STDOUT_FILENO) != 0 ? printableText(text) : text);
}

}  // namespace

void Session::print(const std::string& text, const nlohmann::json& object) const {
    if (json) {
        printJson(object);
    } else {
        const std::string safe = printableText(text);
        fmt::print("{}{}", safe, safe.ends_with('\n') ? "" : "\n");
    }
    std::fflush(stdout);
}

void Session::printExactly(const std::string& text, const nlohmann::json& object) const {
    if (json || isatty(STDOUT_FILENO) != 0) {
        print(text, object);
        return;
    }
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
    std::fflush(stdout);
}

ProgressCallback Session::progress(ProgressLine& line) const {
    return [&line](const Progress& p) { line.show(p); };
}

std::string humanBytes(double bytes) { return byteText(bytes); }

std::string humanSeconds(double seconds) {
    if (seconds < 60) {
        return fmt::format("{:.1f} s", seconds);
    }
    const auto whole = static_cast<long>(std::lround(seconds));
    return whole < 3600 ? fmt::format("{} min {:02d} s", whole / 60, whole % 60)
                        : fmt::format("{} h {:02d} min", whole / 3600, whole % 3600 / 60);
}

std::string clockSeconds(double seconds) {
    const auto whole = static_cast<long>(std::lround(seconds));
    return whole < 3600
               ? fmt::format("{}:{:02d}", whole / 60, whole % 60)
               : fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole % 3600 / 60, whole % 60);
}

std::string counted(std::int64_t count, const std::string& one, const std::string& many) {
    return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string seedProblem(const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [last, failure] = std::from_chars(text.data(), end, value);
    return failure == std::errc() && last == end
               ? ""
               : "'" + text + "' is not a whole number from 0 to 18446744073709551615";
}

void finishCommand(Command command, Session& session, std::function<int()> action) {
    command.addFlag("--json", session.json, "Print a single JSON object on stdout");
    command.whenChosen([&session, action = std::move(action)] { session.action = action; });
}

}  // namespace cospadi::cli
