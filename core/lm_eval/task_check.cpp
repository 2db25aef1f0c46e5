#include "core/lm_eval/task_check.h"

#include <fmt/format.h>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/temporary_folder.h"
#include "core/lm_eval/lm_eval_command.h"
#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/nltk_data.h"
#include "core/lm_eval/python_environment.h"
#include "core/lm_eval/task_data.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Its arguments: the tasks between commas, and the folder of definitions, or nothing.
constexpr const char* kLoadTasks =
    "import sys\n"
    "from lm_eval.tasks import TaskManager\n"
    "TaskManager(include_path=sys.argv[2] or None).load(sys.argv[1].split(','))\n";

// "Spec 'nonsense' is not a registered task/group/tag name"
std::string unknownTaskIn(const std::string& said) {
    constexpr std::string_view kBefore = "Spec '";
    const std::size_t end = said.rfind("' is not a registered task");
    const std::size_t begin =
        end == std::string::npos ? end : said.rfind(std::string(kBefore), end);
    return begin == std::string::npos
               ? std::string()
               : said.substr(begin + kBefore.size(), end - begin - kBefore.size());
}

// "Dataset 'Idavidrein/gpqa' is a gated dataset on the Hub."
bool isKeptBehindAccount(const std::string& said) {
    return said.find("is a gated dataset") != std::string::npos ||
           said.find("GatedRepoError") != std::string::npos;
}

}  // namespace

void requireAskable(const TaskPlan& plan, const std::function<void(const std::string&)>& onStep,
                    const std::stop_token& stop) {
    if (plan.by == TasksBy::Native) {
        return;
    }
    const PythonEnvironment environment = lmEvalEnvironment(onStep, stop);
    const TemporaryFolder work = TemporaryFolder::unique("cospadi-tasks-");
    LmEvalRequest request;
    request.tasks = plan.tasks;
    request.data = plan.data.empty() ? fetchedDataFor(plan.tasks) : fs::path(plan.data);
    ChildCommand load =
        lmEvalCommand(request, environment.python, {"model", "http://127.0.0.1"}, work.path());
    std::string definitions;
    if (!request.data.empty()) {
        definitions = (work.path() / "tasks").string();
        writeLocalTasks(request.data, environment.tasks, definitions);
    }
    load.arguments = {environment.python.string(), "-c", kLoadTasks,
                      fmt::format("{}", fmt::join(plan.tasks, ",")), definitions};
    const fs::path sentences = nltkDataFor(plan.tasks, environment, onStep, stop);
    if (!sentences.empty()) {
        load.environment["NLTK_DATA"] = sentences.string();
    }
    if (onStep) {
        onStep(fmt::format("lm-eval is loading {}", fmt::join(plan.tasks, ", ")));
    }
    std::string said;
    const ChildOutcome outcome = runChild(
        load, [&](std::string_view text) { said += text; }, stop);
    if (outcome.stopped) {
        throw Error("cancelled", "lm-eval", "run the same command again");
    }
    if (outcome.exitCode == 0) {
        return;
    }
    if (const std::string task = unknownTaskIn(said); !task.empty()) {
        throw Error(fmt::format("lm-eval {} has no such task", lmEvalVersion), task,
                    "`lm-eval ls tasks` lists them");
    }
    if (isKeptBehindAccount(said)) {
        throw Error(
            fmt::format("access to a data set has to be requested first: {}", endOfOutput(said)),
            "lm-eval",
            "request it on the hub and set HF_TOKEN to your token, or give a folder with the data "
            "sets by --data (docs/formats.md)");
    }
    failAsItSays(outcome.exitCode, said, request);
}

}  // namespace cospadi
