// What all commands of `cospadi` share: output as text or JSON, exit codes, cancellation.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "app/command_line/command.h"
#include "core/base/error.h"
#include "core/base/progress.h"

namespace cospadi::cli {

// Documented in `cospadi --help` and docs/cli.md.
enum ExitCode : int {
    kOk = 0,
    kFailed = 1,      // a named error; nothing half-written stays
    kUsage = 2,       // wrong words: a command, an option or a value that there is not
    kMissed = 3,      // a benchmark missed a target
    kNever = 42,      // of `job`: it cannot succeed, whoever starts it again
    kAgain = 75,      // of `job`: it was stopped or is at work elsewhere; start it again
    kCancelled = 130  // Ctrl-C; a run can be resumed
};

// What was typed is wrong whatever the files say; ends in kUsage.
class UsageError : public Error {
  public:
    using Error::Error;
    explicit UsageError(const Error& error) : Error(error) {}
};

// Nothing but another file or program changes it; ends in kNever.
class NeverError : public Error {
  public:
    explicit NeverError(const Error& error) : Error(error) {}
};

// Runs a check of options; its Error becomes a UsageError.
template <class Check>
auto asUsage(Check&& check) -> decltype(check()) {
    try {
        return check();
    } catch (const Error& error) {
        throw UsageError(error);
    }
}

// Throws UsageError for the first of these that was given: it would count for nothing.
void refuseGiven(const std::vector<Argument>& arguments, const std::string& problem,
                 const std::string& hint);

// Turns SIGINT, SIGTERM and SIGUSR1, by which schedulers announce that time is up, into a stop
// request; the second one ends the program at once.
class SignalStop {
  public:
    SignalStop();
    ~SignalStop();
    SignalStop(const SignalStop&) = delete;
    SignalStop& operator=(const SignalStop&) = delete;
    std::stop_token token() const { return m_source.get_token(); }
    // The exit code of a program that is ended at once; kCancelled where nothing else was said.
    static void endAtOnceWith(int exitCode);

  private:
    std::stop_source m_source;
    std::jthread m_waiter;
};

// One line on stderr that is redrawn on a terminal; elsewhere a plain line every ten seconds, so
// that a log tells how far the work is and no more.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine();  // clears the line
    void show(const Progress& progress, const std::string& detail = "");
    void clear();

  private:
    bool m_terminal;
    double m_lastShown;
    std::string m_lastStage;
};

struct Session {
    bool json = false;
    std::function<int()> action;  // set by the command that was chosen
    SignalStop signals;

    // Text to stdout, or with --json the object and nothing else. Control characters, which names
    // and texts from files may hold, are escaped (core/base/printable_text.h).
    void print(const std::string& text, const nlohmann::json& json) const;
    // Text that another program may take: exactly, unless it goes to a terminal.
    void printExactly(const std::string& text, const nlohmann::json& json) const;
    ProgressCallback progress(ProgressLine& line) const;
};

std::string humanBytes(double bytes);      // "85.3 MB" (10⁶)
std::string humanSeconds(double seconds);  // "1 min 5 s"
std::string clockSeconds(double seconds);  // "1:05"
std::string counted(std::int64_t count, const std::string& one, const std::string& many = "");

// For options of 64 bits without a sign, of which -1 is 2⁶⁴ − 1 (number_text.h). Empty where
// the text is such a number, else what is wrong with it.
std::string seedProblem(const std::string& text);

// Registers --json on a command and the action to run.
void finishCommand(Command command, Session& session, std::function<int()> action);

void addInspect(Command app, Session& session);
void addTokenize(Command app, Session& session);
void addLogits(Command app, Session& session);
void addCalibrate(Command app, Session& session);
void addBudget(Command app, Session& session);
void addMethods(Command app, Session& session);
void addCompress(Command app, Session& session);
void addRefine(Command app, Session& session);
void addRequantize(Command app, Session& session);
void addSweep(Command app, Session& session);
void addJob(Command app, Session& session);
void addEvaluate(Command app, Session& session);
void addServe(Command app, Session& session);
void addLoad(Command app, Session& session);
void addData(Command app, Session& session);
void addLmEval(Command app, Session& session);
void addCompare(Command app, Session& session);
void addExport(Command app, Session& session);
void addRuns(Command app, Session& session);
void addReport(Command app, Session& session);
void addReproduce(Command app, Session& session);
void addPredict(Command app, Session& session);
void addBench(Command app, Session& session);
void addManual(Command app, Session& session);
void addCompletion(Command app, Session& session);
void addDemo(Command app, Session& session);
void addEngine(Command app, Session& session);

}  // namespace cospadi::cli
