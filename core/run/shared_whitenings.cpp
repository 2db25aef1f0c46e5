#include "core/run/shared_whitenings.h"

namespace cospadi {

Whitening metricOf(const Eigen::MatrixXd& gram, GramShare share, const std::string& layer,
                   Backend& backend) {
    return share == GramShare::Fitted ? Whitening(gram, layer, backend)
                                      : Whitening::forMeasuring(gram, layer, backend);
}

SharedWhitenings::SharedWhitenings(const GramSet& grams, GramShare share,
                                   const std::vector<LayerInfo>& layers)
    : m_grams(grams), m_share(share) {
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
        shared.whitening =
            metricOf(m_grams.gram(layer.gramKey, m_share), m_share, layer.name, backend);
    }
    Whitening whitening = *shared.whitening;
    if (--shared.left <= 0) {
        shared.whitening.reset();
    }
    return whitening;
}

}  // namespace cospadi
