#include "core/schedulers/kubernetes_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/shell_word.h"
#include "core/schedulers/slurm_units.h"
#include "core/schedulers/workflow_text.h"

namespace cospadi {

namespace {

constexpr int kRetries = 50;  // of an index of Kubernetes; a matrix has to end between two of them

}  // namespace

WorkflowFile kubernetesJob(const SweepContract& contract, const SlurmOptions& options,
                           const std::filesystem::path& program) {
    workflow::refusePartition(options, "Kubernetes");
    WorkflowFile result;
    result.file = contract.folder() / "kubernetes" / "job.yaml";
    result.start = "kubectl apply --filename " + shellWord(result.file.string());
    result.edit = {"the image", "the claim of the shared folder"};
    const auto bundle = static_cast<std::size_t>(options.bundle);
    const std::size_t tasks = (contract.jobs.size() + bundle - 1) / bundle;
    const std::size_t atOnce =
        options.arrayLimit > 0 ? static_cast<std::size_t>(options.arrayLimit) : tasks;
    std::string script = workflow::setupLines(options);
    script += script.empty() || script.ends_with('\n') ? "" : "\n";
    // exec: what ends the pod ends the job, which then stops in order.
    script += fmt::format("exec {} --index $((JOB_COMPLETION_INDEX * {})) --count {}\n",
                          workflow::jobWords(contract, program), bundle, bundle);
    std::string limits;
    limits += options.cpus > 0 ? fmt::format("              cpu: {}\n", options.cpus) : "";
    limits += options.mem.empty()
                  ? ""
                  : fmt::format("              memory: {}Mi\n", slurmMebibytes(options.mem));
    const auto [kind, gpus] = workflow::gpuKindAndCount(options.gpus);
    limits += gpus.empty() ? "" : fmt::format("              nvidia.com/gpu: {}\n", gpus);
    std::string text = workflow::heading(contract, "kubernetes", result.start);
    text += "# The folders of the sweep, model and texts must have the same paths in the pods.\n";
    text += "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + slurmJobName(contract) + "\n";
    text += fmt::format(
        "spec:\n  completionMode: Indexed\n  completions: {}\n  parallelism: {}\n"
        "  backoffLimitPerIndex: {}\n  podFailurePolicy:\n    rules:\n"
        "      - action: FailIndex  # 42: it cannot succeed with the same files and program\n"
        "        onExitCodes: {{containerName: job, operator: In, values: [42]}}\n"
        "      - action: Ignore  # a node that goes down is not a failure of the job\n"
        "        onPodConditions: [{{type: DisruptionTarget, status: \"True\"}}]\n",
        tasks, std::min(atOnce, tasks), kRetries);
    text += "  template:\n    spec:\n      restartPolicy: Never\n";
    const std::int64_t minutes = slurmMinutes(options.time);
    text += minutes > 0 ? fmt::format("      activeDeadlineSeconds: {}\n", minutes * 60) : "";
    text += kind.empty() ? ""
                         : "      nodeSelector:\n        nvidia.com/gpu.product: " +
                               workflow::quotedText(kind) + "\n";
    text +=
        "      containers:\n        - name: job\n"
        "          image: cospadi-workbench:latest  # EDIT: one that has cospadi\n"
        "          command:\n            - sh\n            - -c\n            - |2\n";
    text += workflow::indented(script, "              ");
    if (options.cpus > 0) {
        text +=
            fmt::format("          env:\n            - {{name: COSPADI_THREADS, value: \"{}\"}}\n",
                        options.cpus);
    }
    text += limits.empty() ? "" : "          resources:\n            limits:\n" + limits;
    text += "          volumeMounts:\n            - {name: sweep, mountPath: " +
            workflow::quotedText(contract.folder().string()) + "}\n";
    text +=
        "      volumes:\n        - name: sweep\n          persistentVolumeClaim:\n"
        "            claimName: cospadi-sweep  # EDIT: one that many nodes can write\n";
    result.text = std::move(text);
    return result;
}

}  // namespace cospadi
