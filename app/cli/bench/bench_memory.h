// `cospadi bench memory`: what a run holds of a model that need not fit into memory. A checkpoint
// of a whole model's shapes with random weights is written to disk, calibrated on through all its
// blocks, layers of it are compressed, and the perplexity of the run is evaluated.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

// tokenizer: the model whose tokenizer reads the text. quick: the smallest set, half of the tokens.
// In the system's temporary folder (TMPDIR); Error where that has no room for the weights and the
// sums.
int benchMemory(const Session& session, const std::string& set, const std::string& tokenizer,
                bool quick);

}  // namespace cospadi::cli
