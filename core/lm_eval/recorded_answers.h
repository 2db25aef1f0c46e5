// What the real lm-eval has answered of a run already: those of its recorded evaluations that were
// asked the same tasks, with the same limit, shots, length of prompts and data, of plain prompts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/lm_eval/task_evaluation.h"
#include "core/store/run_row.h"

namespace cospadi {

struct AskedOfLmEval {
    double limit = 0;                   // 0: all items
    std::optional<std::int64_t> shots;  // the task's own where absent
    // Of one folder, by sha256; empty where lm-eval loads the data itself.
    std::map<std::string, std::string> data;  // the file of each task that is known by name
    std::set<std::string> otherData;          // files that tasks of no name here may have
    std::int64_t maxLength = kUsualMaxLength;
};

// The newest answer to a task, or group of tasks, a row a metric; empty where there is none. Of a
// group lm-eval says neither shots nor data: the tasks that were asked with it do.
std::vector<TaskResultRow> recordedAnswer(const std::filesystem::path& run, const std::string& task,
                                          const AskedOfLmEval& asked);

}  // namespace cospadi
