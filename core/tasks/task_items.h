// A task as lm-eval 0.4.13 asks it: for every record of the data a context and the texts whose
// likelihood after it decides, to the character the prompts of lm-eval's own definitions.
//
// Zero examples in the prompt; mmlu takes its first examples from mmlu_dev.jsonl, as lm-eval does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cospadi {

enum class TaskForm {
    Choice,        // the likeliest continuation is the answer: acc, acc_norm
    Continuation,  // one continuation: perplexity, acc (is it what greedy decoding says?)
    Rolling        // the likelihood of a whole text: word, byte and bits-per-byte perplexity
};

struct TaskItem {
    nlohmann::json record;
    std::string context;                     // empty for Rolling, and where `contexts` stand
    std::vector<std::string> contexts = {};  // one a continuation, where each has its own
    std::vector<std::string> continuations;  // what is scored; Rolling: the text
    std::vector<std::string> choices;        // the answers, as acc_norm counts their characters
    std::int64_t answer = 0;                 // index in choices
    std::int64_t words = 0, bytes = 0;       // Rolling: of the original text

    const std::string& contextOf(std::size_t continuation) const {
        return contexts.empty() ? context : contexts[continuation];
    }
};

struct Task {
    std::string name;
    std::string version;
    std::int64_t shots = 0;
    TaskForm form = TaskForm::Choice;
    bool hasLengthNorm = false;  // acc_norm is one of its metrics
    std::string dataSha256;
    std::filesystem::path data;
    std::vector<TaskItem> items;
};

struct TaskSelection {
    std::filesystem::path data;  // folder with the files of task_records.h
    // Where `data` is empty: folders that are looked into for each task's file, in this order.
    std::vector<std::filesystem::path> otherwise;
    double limit = 0;        // items a task: the first N; below 1 a share of them; 0: all
    std::int64_t shots = 0;  // only mmlu has examples here
};

// The tasks that `names` mean, each once: "mmlu" is all subjects that the data has. Throws Error
// for names that are not known here (lm-eval may know them), absent files, records with missing
// fields or answers outside the choices, and shots where there are no examples.
std::vector<Task> readTasks(const std::vector<std::string>& names, const TaskSelection& selection);

// Every name that readTasks() takes.
std::vector<std::string> nativeTaskNames();

}  // namespace cospadi
