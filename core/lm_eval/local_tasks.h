// lm-eval's tasks over data of one's own: what lets an evaluation run without a network.
//
// A folder of YAML files for `--include_path`, one a task, each including lm-eval's own definition
// (prompts, metrics, version stay its) and putting local JSON lines in the place of the data set.
// Known data: piqa, hellaswag, lambada_openai, arc_easy, arc_challenge, sciq, race,
// winogrande, boolq, openbookqa, copa, wikitext and the 57 subjects of mmlu (docs/formats.md names
// files and fields).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cospadi {

struct LocalTask {
    std::string name;
    std::filesystem::path data;  // the user's file
    std::string dataSha256;
};

// Writes into `folder` (YAML, and converted data where a task wants another form) everything that
// `data` has files for. installedTasks: lm_eval/tasks of the package. shots: examples in prompts,
// which come from files as well. Throws Error for a folder
// without any known file, and for a file whose fields are not those of its task.
std::vector<LocalTask> writeLocalTasks(const std::filesystem::path& data,
                                       const std::filesystem::path& installedTasks,
                                       const std::filesystem::path& folder, std::int64_t shots = 0);

}  // namespace cospadi
