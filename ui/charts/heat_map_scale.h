// The colours of a heat map (heat_map.h): the range that its values span, and the colour of each in
// it. Pure.
#pragma once

#include <QColor>
#include <QString>
#include <limits>

#include "ui/models/heat_map_data.h"

namespace cospadi::ui {

class HeatMapScale {
  public:
    explicit HeatMapScale(const HeatMapData& data);

    bool isEmpty() const { return m_least > m_greatest; }  // no cell has a number
    double least() const { return m_least; }
    double greatest() const { return m_greatest; }
    static QString endWords(double end);  // as the legend has them

    QColor colour(double value) const { return colourOfShare(share(value)); }
    // share: 0 … 1 of the way from the least to the greatest value.
    QColor colourOfShare(double share) const;
    bool isDark(double value) const;  // black is hard to read on it

  private:
    double share(double value) const;

    double m_least = std::numeric_limits<double>::infinity();
    double m_greatest = -std::numeric_limits<double>::infinity();
    bool m_isDifference;
};

}  // namespace cospadi::ui
