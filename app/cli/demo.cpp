// `cospadi demo`: the comparison that the program is for, on the default model, without a window.
#include <fmt/format.h>

#include "app/cli/measured_run.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/methods/method.h"
#include "core/report/report.h"
#include "core/run/resolve_specification.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

constexpr const char* kDemoTag = "demo";
// K-SVD needs 60 passes a matrix: hours on all layers of a small machine. Every method is therefore
// also measured on one block, whose layers it can do in minutes.
constexpr const char* kAllLayers = ".*";
constexpr const char* kOneBlock = "^blk\\.10\\.";
constexpr std::int64_t kEvaluationTokens = 8192;

struct Step {
    const char* title;
    const char* method;
    Solver solver;
    const char* layers;
};

constexpr Step kSteps[] = {
    {"dense model", "dense", Solver::Fast, kAllLayers},
    {"SVD, all layers", "svd", Solver::Fast, kAllLayers},
    {"SVD-LLM, all layers", "svd-llm", Solver::Fast, kAllLayers},
    {"CoSpaDi with the default solver, all layers", "cospadi", Solver::Fast, kAllLayers},
    {"SVD, block 10", "svd", Solver::Fast, kOneBlock},
    {"SVD-LLM, block 10", "svd-llm", Solver::Fast, kOneBlock},
    {"CoSpaDi by K-SVD, 60 x 8, block 10", "cospadi", Solver::Ksvd, kOneBlock},
    {"CoSpaDi with the default solver, block 10", "cospadi", Solver::Fast, kOneBlock},
};

struct DemoOptions {
    std::string model = "default";
    double cr = 0.2;
};

RunSpecification stepSpecification(const Step& step, const DemoOptions& options) {
    RunSpecification specification;
    specification.model = options.model;
    specification.method = &methodFromName(step.method);
    specification.solver = step.solver;
    specification.layers = step.layers;
    specification.cr = options.cr;
    return specification;
}

bool runStep(const Session& session, const Step& step, const DemoOptions& options) {
    const auto measured = measuredRun(session, resolved(stepSpecification(step, options)), kDemoTag,
                                      kEvaluationTokens);
    if (!measured) {
        return false;
    }
    fmt::print(stderr, "      mean error {:.4f}, perplexity {:.2f}, compressed in {}\n",
               measured->run.relativeError, measured->perplexity,
               humanSeconds(measured->run.seconds));
    return true;
}

int demo(const Session& session, const DemoOptions& options) {
    // All steps before the first begins: the dense one takes a minute and asks for no CR.
    for (const Step& step : kSteps) {
        asUsage([&] { validate(stepSpecification(step, options)); });
    }
    for (const Step& step : kSteps) {
        requireRunnable(resolved(stepSpecification(step, options)));
    }
    fmt::print(
        stderr,
        "The default model at CR {}: dense, SVD, SVD-LLM, CoSpaDi by K-SVD (60 x 8) and by the "
        "default solver.\n"
        "Calibration: 64 x 512 tokens of C4. Perplexity: the first {} tokens of WikiText-2 test, "
        "context 512.\n\n",
        options.cr, kEvaluationTokens);
    const std::size_t count = std::size(kSteps);
    for (std::size_t i = 0; i < count; ++i) {
        fmt::print(stderr, "[{}/{}] {}\n", i + 1, count, kSteps[i].title);
        if (!runStep(session, kSteps[i], options)) {
            fmt::print(stderr, "cancelled; run `cospadi demo` again to resume\n");
            return kCancelled;
        }
    }
    const ReportTable table = buildReport(RunStore::open(storePath()), kDemoTag);
    session.print(
        fmt::format(
            "\n{}\nbytes: the compressed layers' files, mask included; dense: bf16.\n"
            "Runs: {}\nTo print this table again: cospadi report --preset demo --format csv\n",
            render(table, ReportFormat::Terminal), runsDirectory().string()),
        {{"csv", render(table, ReportFormat::Csv)}, {"runs", runsDirectory().string()}});
    return kOk;
}

}  // namespace

void addDemo(Command app, Session& session) {
    const Command command =
        app.addCommand("demo",
                       "Demonstrate the main workflow on the default model: compress by four "
                       "methods, measure, compare (≤ 15 minutes)");
    auto options = std::make_shared<DemoOptions>();
    command.addOption("--model", options->model, "Another model").showDefault();
    command.addOption("--cr", options->cr, "Compression ratio").showDefault();
    finishCommand(command, session, [&session, options] { return demo(session, *options); });
}

}  // namespace cospadi::cli
