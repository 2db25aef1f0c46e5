// Layers of a run side by side, each on a thread of its own: they are independent.
#pragma once

#include <functional>
#include <vector>

#include "core/run/run_backends.h"

namespace cospadi {

// What is done with the layer at this place; false where it was cancelled.
using LayerWork = std::function<bool(std::size_t layer, WorkerBackends& worker)>;

// As many at once as the backends take, with the cores shared between them. After an exception no
// layer is begun; the first one passes once all have ended.
void runLayersAtOnce(std::size_t layers, const RunBackends& backends, const LayerWork& work);

}  // namespace cospadi
