// `cospadi`: the engine from the command line. One file a command; this one only chooses.
#include <fmt/format.h>

#include <exception>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "app/cli/session.h"
#include "core/base/error.h"
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

Exit codes
  0 done   1 failed, with the reason   2 wrong options   3 a benchmark missed a target
  130 cancelled; a run goes on when the same command is started again)";

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

int report(const cospadi::cli::Session& session, const std::string& message,
           const nlohmann::json& error) {
    fmt::print(stderr, "cospadi: {}\n", message);
    if (session.json) {
        session.print("", {{"error", error}});
    }
    return cospadi::cli::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace cospadi::cli;  // one function, the commands it lists
    keepFreedMemory();
    CLI::App app(
        "CoSpaDi Workbench: compress language models by sparse dictionary learning, "
        "W ≈ D_a S, and measure what it costs.",
        "cospadi");
    app.footer(kFooter);
    app.set_version_flag("--version", COSPADI_VERSION " (" COSPADI_REVISION ")");
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    Session session;
    addInspect(app, session);
    addTokenize(app, session);
    addLogits(app, session);
    addCalibrate(app, session);
    addBudget(app, session);
    addCompress(app, session);
    addSweep(app, session);
    addEvaluate(app, session);
    addServe(app, session);
    addLmEval(app, session);
    addCompare(app, session);
    addExport(app, session);
    addRuns(app, session);
    addReport(app, session);
    addBench(app, session);
    addDemo(app, session);
    addEngine(app, session);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kOk : kUsage;
    }
    try {
        return session.action ? session.action() : kOk;
    } catch (const cospadi::Error& error) {
        return report(
            session, error.what(),
            {{"message", error.problem()}, {"where", error.where()}, {"hint", error.hint()}});
    } catch (const std::exception& error) {
        return report(session, error.what(),
                      {{"message", error.what()}, {"where", ""}, {"hint", ""}});
    }
}
