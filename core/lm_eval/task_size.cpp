#include "core/lm_eval/task_size.h"

namespace cospadi {

double approximateTokens(const Task& task) {
    double characters = 0;
    double continuations = 0;
    for (const TaskItem& item : task.items) {
        characters += static_cast<double>(item.context.size());
        for (std::size_t i = 0; i < item.continuations.size(); ++i) {
            characters += static_cast<double>(item.continuations[i].size());
            characters += item.contexts.empty() ? 0 : static_cast<double>(item.contexts[i].size());
        }
        continuations += static_cast<double>(item.continuations.size());
    }
    return characters / kCharactersPerToken + continuations;
}

}  // namespace cospadi
