// Why a prediction (model_prediction.h) should not be relied on: what it rests on that was not
// measured, and where it leaves what was.
#pragma once

#include <cstddef>
#include <vector>

#include "core/allocation/model_curves.h"
#include "core/allocation/model_prediction.h"
#include "core/base/phrase.h"

namespace cospadi {

// What the layers that are not left out come to.
struct PredictionBasis {
    std::size_t counted = 0;
    std::size_t guessed = 0;    // their curves are those of neighbours
    std::size_t unprobed = 0;   // what errors cost is another method's, or a neighbour's
    std::size_t outermost = 0;  // they stand at the largest ratio that was tried
};

// Empty where there is no reason.
std::vector<Phrase> doubtsOf(const Prediction& prediction, const ModelCurves& curves,
                             const MatrixOptions& options, const PredictionBasis& basis);

}  // namespace cospadi
