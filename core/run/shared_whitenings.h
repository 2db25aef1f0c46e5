// The factor of a Gram, of fitted or of held-out inputs, once for all layers that share it (q, k
// and v; gate and up) and no longer than they need it.
#pragma once

#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/linalg/whitening.h"
#include "core/linalg/whitenings_by_key.h"
#include "core/model/layer_info.h"

namespace cospadi {

// To solve in, of fitted inputs, or only to measure in, of held-out ones.
Whitening metricOf(const Eigen::MatrixXd& gram, GramShare share, const std::string& layer,
                   Backend& backend);

class SharedWhitenings {
  public:
    // grams must outlive it. layers: those that will ask, once each.
    SharedWhitenings(const GramSet& grams, GramShare share, const std::vector<LayerInfo>& layers);

    // As WhiteningsByKey::of(), on the backend of whoever asks first.
    Whitening of(const LayerInfo& layer, Backend& backend);

  private:
    const GramSet& m_grams;
    GramShare m_share;
    WhiteningsByKey m_byGram;
};

}  // namespace cospadi
