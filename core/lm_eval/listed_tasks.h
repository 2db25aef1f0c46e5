// Tasks that only the real lm-eval asks, over local data: IFEval, BBH, MATH, GPQA, MuSR and
// MMLU-Pro in all the forms that it has of them (bbh_cot_fewshot_…, gpqa_main_generative_n_shot,
// leaderboard_… and so on).
//
// Which tasks there are is read from the installed definitions: each names its data set, the
// configuration and the split that is scored, and these the file (docs/formats.md). Groups such as
// bbh or leaderboard_gpqa are lm-eval's own, of the tasks that have data here and those that lack
// them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/task_overlay.h"

namespace cospadi {

// An overlay for every task whose file is in `data`. Throws Error for a file whose records lack
// fields of their set, and where the examples of few-shot prompts are missing.
std::vector<LocalTask> addListedTasks(const std::filesystem::path& data,
                                      const std::filesystem::path& installedTasks,
                                      const TaskOverlay& overlay);

// "ifeval.jsonl, bbh_NAME.jsonl, …", for messages.
std::string namesOfListedData();
// sha256 of every file in `data` that has such a name.
std::set<std::string> hashesOfListedData(const std::filesystem::path& data);

}  // namespace cospadi
