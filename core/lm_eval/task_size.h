// How large a text or task is before any tokenizer has seen it: for predictions of time.
#pragma once

#include "core/tasks/task_items.h"

namespace cospadi {

inline constexpr double kCharactersPerToken = 4;  // of English, about

// Tokens of all prompts with all of their answers, and a step of generation for each answer.
double approximateTokens(const Task& task);

}  // namespace cospadi
