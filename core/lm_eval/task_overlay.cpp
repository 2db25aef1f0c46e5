#include "core/lm_eval/task_overlay.h"

#include "core/base/error.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace fs = std::filesystem;
using nlohmann::json;

// JSON is YAML, without its traps about quoting.
void TaskOverlay::add(const std::string& name, const std::string& definition, const json& files,
                      const json& changes) const {
    const fs::path included = m_installed / definition;
    if (!fs::exists(included)) {
        throw Error("lm-eval has no such definition", included.string(),
                    "remove the environment; it is created again");
    }
    json task{{"include", included.string()},
              {"task", name},
              {"dataset_path", "json"},
              {"dataset_name", nullptr},
              {"dataset_kwargs", {{"data_files", files}}},
              {"training_split", nullptr},
              {"validation_split", nullptr},
              {"test_split", nullptr}};
    for (const char* split : {"test", "validation"}) {
        if (files.contains(split)) {
            task[std::string(split) + "_split"] = split;
        }
    }
    task.update(changes);
    writeFileAtomically(m_folder / (name + ".yaml"), task.dump(1) + "\n");
}

void writeJsonLines(const fs::path& file, const std::vector<json>& records) {
    std::string text;
    for (const json& record : records) {
        text += record.dump() + "\n";
    }
    writeFileAtomically(file, text);
}

}  // namespace cospadi
