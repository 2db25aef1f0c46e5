// `cospadi`: the engine from the command line. One file a command; this one only chooses.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "app/cli/session.h"
#include "app/cli/suggestion.h"
#include "app/command_line/command_line.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/base/program_revision.h"
#include "core/base/thread_pool.h"
#include "cospadi_version.h"

namespace {

constexpr const char* kFooter = R"(
MODEL is a GGUF file, a Hugging Face folder, a run (its directory or id), or the word default.

First steps
  cospadi inspect default
  cospadi budget --shape 4096x12288 --cr 0.2 --rho 2
  cospadi compress default --method cospadi --cr 0.2 --layers ffn_up --out my-run
  cospadi evaluate my-run --perplexity wikitext2 --max-tokens 4096
  cospadi demo

`cospadi COMMAND --help` explains the options of a command.

Exit codes
  0 done   1 failed, with the reason   2 invalid command, option or value
  3 a benchmark missed a target, or a reproduced number differs
  42 `job`: cannot succeed   75 `job`: start it again
  130 cancelled; the same command resumes the run)";

// Freed memory is kept for the next step: the activations of a forward pass are made anew for every
// batch, and asking the system for fresh pages each time took an eighth of the pass.
void keepFreedMemory() {
#if defined(__GLIBC__)
    constexpr int kLargestBlock = 32 << 20;  // what glibc accepts at most
    constexpr int kKept = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kLargestBlock);
    mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

int reportFailure(const cospadi::cli::Session& session, const std::string& message,
                  const nlohmann::json& error, int exitCode) {
    fmt::print(stderr, "cospadi: {}\n", cospadi::printableText(message));
    if (session.json) {
        session.print("", {{"error", error}});
    }
    return exitCode;
}

int reportFailure(const cospadi::cli::Session& session, const cospadi::Error& error, int exitCode) {
    return reportFailure(
        session, error.what(),
        {{"message", error.problem()}, {"where", error.where()}, {"hint", error.hint()}}, exitCode);
}

std::string suggestion(const std::string& nearest) {
    return nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest);
}

// CLI11 says of an unknown command that one is required; and it names no option that is near.
cospadi::cli::UsageError named(const cospadi::cli::WrongWords& wrong) {
    const auto isOption = [](const std::string& word) { return word.starts_with("--"); };
    const auto option = std::find_if(wrong.rest.begin(), wrong.rest.end(), isOption);
    const std::string nearOption =
        option == wrong.rest.end()
            ? ""
            : cospadi::cli::nearestWord(option->substr(0, option->find('=')), wrong.options);
    const auto command =
        std::find_if_not(wrong.rest.begin(), wrong.rest.end(),
                         [](const std::string& word) { return word.starts_with('-'); });
    const bool isCommand = wrong.commandMissing && command != wrong.rest.end();
    const std::string near =
        isCommand ? cospadi::cli::nearestWord(*command, wrong.commands) : nearOption;
    const std::string chosen = fmt::format("{}", fmt::join(wrong.chosen, " "));
    return {isCommand ? fmt::format("there is no command \"{}\"", *command) : wrong.problem, chosen,
            fmt::format("{}see cospadi {}--help", suggestion(near),
                        chosen.empty() ? "" : chosen + " ")};
}

// An unset variable of a shell: `--layers "$LAYERS"` would mean all of them.
std::string emptyProblem(const std::string& value) {
    return value.empty() ? "the value is empty; omit the option to use its default" : "";
}

// A misspelt number of threads would quietly be all of them.
void checkEnvironment() {
    const char* threads = std::getenv("COSPADI_THREADS");
    if (threads != nullptr && *threads != 0 && cospadi::ThreadPool::wishedThreads() == 0) {
        throw cospadi::cli::UsageError(
            fmt::format("\"{}\" is not a number of threads", threads), "COSPADI_THREADS",
            "set it to a positive integer, or unset it to use all cores");
    }
}

int run(int argc, char** argv) {
    using namespace cospadi::cli;  // one function, the commands it lists
    keepFreedMemory();
    CommandLine line(
        "CoSpaDi Workbench: compress language models by sparse dictionary learning, "
        "W ≈ D_a S, and measure what it costs.",
        "cospadi");
    line.addVersion(fmt::format("{} ({})", COSPADI_VERSION, cospadi::programRevision()));
    line.setHelpColumn(34);
    const Command program = line.program();
    program.requireCommand();
    Session session;
    addInspect(program, session);
    addTokenize(program, session);
    addLogits(program, session);
    addCalibrate(program, session);
    addBudget(program, session);
    addMethods(program, session);
    addCompress(program, session);
    addRefine(program, session);
    addRequantize(program, session);
    addSweep(program, session);
    addJob(program, session);
    addEvaluate(program, session);
    addServe(program, session);
    addLoad(program, session);
    addLmEval(program, session);
    addData(program, session);
    addCompare(program, session);
    addPredict(program, session);
    addExport(program, session);
    addRuns(program, session);
    addReport(program, session);
    addReproduce(program, session);
    addBench(program, session);
    addDemo(program, session);
    addEngine(program, session);
    addManual(program, session);
    addCompletion(program, session);
    line.setFooter(kFooter);  // last: commands inherit it
    program.checkValues(emptyProblem);
    // The flag may stand behind what could not be read.
    const bool json = std::count(argv, argv + argc, std::string_view("--json")) > 0;
    const auto refuse = [&](const UsageError& error) {
        session.json = json;
        return reportFailure(session, error, kUsage);
    };
    try {
        const std::optional<int> ended =
            line.parse(argc, argv, [&](const WrongWords& wrong) { return refuse(named(wrong)); });
        if (ended) {
            return *ended;
        }
    } catch (const UsageError& error) {  // of a word that is none of its option's
        return refuse(error);
    } catch (const cospadi::Error& error) {  // of a file that an option reads
        session.json = json;
        return reportFailure(session, error, kUsage);
    }
    try {
        checkEnvironment();
        return session.action ? session.action() : kOk;
    } catch (const UsageError& error) {
        return reportFailure(session, error, kUsage);
    } catch (const NeverError& error) {
        return reportFailure(session, error, kNever);
    } catch (const cospadi::Error& error) {
        return reportFailure(session, error, kFailed);
    } catch (const std::exception& error) {
        return reportFailure(session, error.what(),
                             {{"message", error.what()}, {"where", ""}, {"hint", ""}}, kFailed);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {  // of the set-up; or there is no output to write to
        std::fprintf(stderr, "%s\n", error.what());
        return cospadi::cli::kFailed;
    }
}
