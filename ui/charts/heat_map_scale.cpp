#include "ui/charts/heat_map_scale.h"

#include <algorithm>
#include <cmath>

#include "ui/base/format.h"
#include "ui/charts/colour_scale.h"

namespace cospadi::ui {

namespace {

constexpr int kLegendDigits = 3;

}  // namespace

HeatMapScale::HeatMapScale(const HeatMapData& data) : m_isDifference(data.isDifference) {
    for (const double value : data.values) {
        if (std::isfinite(value)) {
            m_least = std::min(m_least, value);
            m_greatest = std::max(m_greatest, value);
        }
    }
    if (std::isfinite(data.least) && std::isfinite(data.greatest)) {
        m_least = std::min(m_least, data.least);
        m_greatest = std::max(m_greatest, data.greatest);
    }
    if (m_isDifference && !isEmpty()) {  // 0 stands in the middle
        m_greatest = std::max(std::abs(m_least), std::abs(m_greatest));
        m_least = -m_greatest;
    }
}

QString HeatMapScale::endWords(double end) { return formatNumber(end, kLegendDigits); }

double HeatMapScale::share(double value) const {
    return m_greatest > m_least ? (value - m_least) / (m_greatest - m_least) : 0.5;
}

QColor HeatMapScale::colourOfShare(double share) const {
    return m_isDifference ? differenceColour(2 * share - 1) : scaleColour(share);
}

bool HeatMapScale::isDark(double value) const { return qGray(colour(value).rgb()) < 128; }

}  // namespace cospadi::ui
