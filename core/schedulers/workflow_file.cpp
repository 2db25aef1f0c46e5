#include "core/schedulers/workflow_file.h"

#include "core/base/error.h"
#include "core/schedulers/kubernetes_job.h"
#include "core/schedulers/skypilot_task.h"
#include "core/schedulers/snakefile.h"

namespace cospadi {

const std::vector<std::string>& workflowEngines() {
    static const std::vector<std::string> engines{"snakemake", "kubernetes", "skypilot"};
    return engines;
}

WorkflowFile workflowFile(const std::string& engine, const SweepContract& contract,
                          const SlurmOptions& options, const std::filesystem::path& program) {
    if (engine == "snakemake") {
        return snakefile(contract, options, program);
    }
    if (engine == "kubernetes") {
        return kubernetesJob(contract, options, program);
    }
    if (engine == "skypilot") {
        return skypilotTask(contract, options, program);
    }
    throw Error("is not a supported engine", engine, "use snakemake, kubernetes or skypilot");
}

std::string snakemakeStart(const SweepContract& contract) {
    const std::filesystem::path file = contract.folder() / "snakemake" / "Snakefile";
    std::error_code failed;
    return std::filesystem::exists(file, failed) ? snakemakeCommand(file) : "";
}

}  // namespace cospadi
