// One item of a task with a model's answer, or two models' answers, as a page of text. Pure.
#pragma once

#include <QString>

#include "core/lm_eval/task_samples.h"

namespace cospadi::ui {

// HTML: the prompt, then a line a continuation with its log likelihoods; ✓ marks the right one,
// bold what a model finds likeliest. second: null where there is one model only.
QString sampleHtml(const TaskSample& first, const TaskSample* second);

}  // namespace cospadi::ui
