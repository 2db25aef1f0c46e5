// Compression along the forward pass (`--propagation input|target`): every layer is
// fitted to the inputs that the layers compressed before it leave to it, and with `target` to the
// weight that makes up for their errors as well (core/methods/propagation_target.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/linalg/whitening.h"
#include "core/model/model.h"
#include "core/run/layer_problem.h"

namespace cospadi {

// How the run does its part.
struct PropagationSteps {
    // Whether a layer's factors are stored already.
    std::function<bool(const LayerInfo&)> finished;
    // Compresses these layers and stores their factors; false when cancelled.
    std::function<bool(const std::vector<LayerInfo>&, const LayerProblemSource&)> compress;
    // The layer that the stored factors make.
    std::function<std::unique_ptr<LinearLayer>(const LayerInfo&)> stored;
};

// layers: those to be compressed, in forward order; they are replaced in the model one after the
// other. correctWeights: `target`. sharesFactors: layers of one input have the factor of its Gram
// together, which those of backends with devices of their own cannot. products: as for
// PropagatedInputs. False when cancelled.
bool compressAlongForwardPass(Model& model, ThreadPool& pool, const std::vector<LayerInfo>& layers,
                              const CalibrationOptions& text, bool correctWeights,
                              bool sharesFactors, const PropagationSteps& steps,
                              const std::stop_token& stop, DeviceProducts* products = nullptr);

}  // namespace cospadi
