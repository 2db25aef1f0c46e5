#include "core/run/shared_whitenings.h"

namespace cospadi {

SharedWhitenings::SharedWhitenings(const GramSet& grams, const std::vector<LayerInfo>& layers)
    : m_grams(grams) {
    for (const LayerInfo& layer : layers) {
        std::unique_ptr<Shared>& shared = m_shared[layer.gramKey];
        if (!shared) {
            shared = std::make_unique<Shared>();
        }
        ++shared->left;
    }
}

Whitening SharedWhitenings::of(const LayerInfo& layer, Backend& backend) {
    Shared& shared = *m_shared.at(layer.gramKey);
    const std::scoped_lock lock(shared.mutex);
    if (!shared.whitening) {
        shared.whitening.emplace(m_grams.gram(layer.gramKey), layer.name, backend);
    }
    Whitening whitening = *shared.whitening;
    if (--shared.left <= 0) {
        shared.whitening.reset();
    }
    return whitening;
}

}  // namespace cospadi
