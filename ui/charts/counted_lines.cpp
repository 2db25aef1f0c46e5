#include "ui/charts/counted_lines.h"

#include <QLineF>

namespace cospadi::ui {

void CountedLines::count(const BrushedLines& lines, const ParallelLayout& layout, const QSize& size,
                         double ratio) {
    const std::vector<bool> inside = lines.passing();
    const QSize pixels = size * ratio;
    const bool anew = m_inside.size() != inside.size() || m_pixels != pixels;
    if (anew) {
        m_linesInside.reset(pixels);
        m_linesOutside.reset(pixels);
        m_pixels = pixels;
    }
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (!anew && m_inside[i] == inside[i]) {
            continue;
        }
        LineDensity& to = inside[i] ? m_linesInside : m_linesOutside;
        LineDensity& from = inside[i] ? m_linesOutside : m_linesInside;
        eachStroke(lines, layout, lines.lines()[static_cast<int>(i)],
                   [&](const QPointF& a, const QPointF& b, bool dotted) {
                       const QLineF line(a * ratio, b * ratio);
                       to.add(line, 1, dotted);
                       if (!anew) {
                           from.add(line, -1, dotted);
                       }
                   });
    }
    m_inside = inside;
}

void CountedLines::paintOver(QImage& image, const QColor& outside, const QColor& inside) const {
    m_linesOutside.paintOver(image, outside);
    m_linesInside.paintOver(image, inside);
}

}  // namespace cospadi::ui
