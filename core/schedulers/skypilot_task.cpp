#include "core/schedulers/skypilot_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/shell_word.h"
#include "core/schedulers/slurm_units.h"
#include "core/schedulers/workflow_text.h"

namespace cospadi {

namespace {

constexpr std::int64_t kMebibytesAGibibyte = 1024;

}  // namespace

WorkflowFile skypilotTask(const SweepContract& contract, const SlurmOptions& options,
                          const std::filesystem::path& program) {
    workflow::refusePartition(options, "SkyPilot");
    if (!options.time.empty()) {
        throw Error("SkyPilot has no time limit", "--time", "omit it");
    }
    WorkflowFile result;
    result.file = contract.folder() / "skypilot" / "task.yaml";
    result.start = "sky launch " + shellWord(result.file.string());
    result.edit = {"the volume of the shared folder", "how cospadi is installed on the nodes"};
    std::string text = workflow::heading(contract, "skypilot", result.start);
    text += "# The folders of the sweep, model and texts must have the same paths on all nodes.\n";
    text += "name: " + slurmJobName(contract) + "\n";
    std::string resources;
    resources += options.cpus > 0 ? fmt::format("  cpus: {}+\n", options.cpus) : "";
    resources += options.mem.empty()
                     ? ""
                     : fmt::format("  memory: {}+\n",
                                   (slurmMebibytes(options.mem) + kMebibytesAGibibyte - 1) /
                                       kMebibytesAGibibyte);
    if (const auto [kind, count] = workflow::gpuKindAndCount(options.gpus); !count.empty()) {
        resources += kind.empty()
                         ? fmt::format("  accelerators: \"A100:{}\"  # EDIT: the kind\n", count)
                         : "  accelerators: " + workflow::quotedText(kind + ":" + count) + "\n";
    }
    text += resources.empty() ? "" : "resources:\n" + resources;
    text += fmt::format("num_nodes: {}\n", std::max(1, options.arrayLimit));
    text += "volumes:\n  " + workflow::quotedText(contract.folder().string()) +
            ": cospadi-sweep  # EDIT: one that many nodes can write\n";
    text += "setup: |2\n" +
            workflow::indented("# EDIT: commands that install cospadi if the image lacks it\n" +
                                   workflow::setupLines(options) + "\n" +
                                   shellWord(program.string()) + " --version\n",
                               "  ");
    // Nodes share what is left among themselves. One that ends early, or with a failure, ends all
    // of them: each stays until no job is at work.
    text += "run: |2\n" +
            workflow::indented(
                workflow::setupLines(options) +
                    "\nstopped=\nchild=\n"
                    "trap 'stopped=1; [ -z \"$child\" ] || kill -TERM \"$child\"' TERM INT\n"
                    "while :; do\n    " +
                    workflow::jobWords(contract, program) +
                    " --left &\n    child=$!\n    wait \"$child\"\n    code=$?\n"
                    "    while kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; code=$?; done\n"
                    "    child=\n"
                    "    [ \"$code\" = 75 ] && [ -z \"$stopped\" ] || exit \"$code\"\n"
                    "    sleep 30\ndone\n",
                "  ");
    result.text = std::move(text);
    return result;
}

}  // namespace cospadi
