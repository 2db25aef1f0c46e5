#include "core/model/shared_factors.h"

namespace cospadi {

void SharedFactors::share(const std::string& unit, LinearLayer& layer) {
    auto* packed = dynamic_cast<PackedLayer*>(&layer);
    const PackedLayer::Factor own = packed != nullptr ? packed->commonFactor() : nullptr;
    if (own == nullptr) {
        return;
    }
    const std::scoped_lock lock(m_mutex);
    std::weak_ptr<const PackedMatrix>& known = m_factors[unit];
    const PackedLayer::Factor others = known.lock();
    if (others != nullptr && others->rows() == own->rows() && others->cols() == own->cols()) {
        packed->replaceCommonFactor(others);
    } else {
        known = own;
    }
}

}  // namespace cospadi
