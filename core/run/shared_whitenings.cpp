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
        m_byGram.expect(layer.gramKey);
    }
}

Whitening SharedWhitenings::of(const LayerInfo& layer, Backend& backend) {
    return m_byGram.of(layer.gramKey, [&] {
        return metricOf(m_grams.gram(layer.gramKey, m_share), m_share, layer.name, backend);
    });
}

}  // namespace cospadi
