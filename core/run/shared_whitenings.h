// The factor of a Gram, of fitted or of held-out inputs, once for all layers that share it (q, k
// and v; gate and up) and no longer than they need it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/linalg/whitening.h"
#include "core/model/layer_info.h"

namespace cospadi {

// To solve in, of fitted inputs, or only to measure in, of held-out ones.
Whitening metricOf(const Eigen::MatrixXd& gram, GramShare share, const std::string& layer,
                   Backend& backend);

class SharedWhitenings {
  public:
    // grams must outlive it. layers: those that will ask, once each.
    SharedWhitenings(const GramSet& grams, GramShare share, const std::vector<LayerInfo>& layers);

    // Made by whoever asks first, on its backend, while the others of the same Gram wait; given up
    // after the last has asked. Errors as Whitening's. Thread-safe where factors are: of backends
    // on the host.
    Whitening of(const LayerInfo& layer, Backend& backend);

  private:
    struct Shared {
        std::mutex mutex;
        std::optional<Whitening> whitening;
        int left = 0;  // layers that have not asked yet
    };

    const GramSet& m_grams;
    GramShare m_share;
    std::map<std::string, std::unique_ptr<Shared>> m_shared;  // by Gram
};

}  // namespace cospadi
