// What the layers of a run come to before any is compressed: the sum of Method::plan() over its
// units, and of a method that leaves blocks out that of the blocks that stay.
#pragma once

#include <vector>

#include "core/methods/method.h"
#include "core/model/layer_info.h"

namespace cospadi {

// The parts by place, as the method names them; no facts. Throws Error as Method::plan() does, and
// as unitsOf().
StoragePlan plannedStorage(const MatrixOptions& options, const std::vector<LayerInfo>& layers);

}  // namespace cospadi
