// What the window says of a model in words. Pure functions.
#pragma once

#include <QString>

#include "core/model/model_info.h"

namespace cospadi::ui {

// What a user knows a model by: the name of its file or folder, not the one inside it.
QString modelTitle(const ModelInfo& model);

// Three lines: architecture, format, parameters and bytes; blocks, widths and heads; what the
// linear layers take here and in bfloat16.
QString modelFacts(const ModelInfo& model);

}  // namespace cospadi::ui
