#include "ui/charts/layered_curves.h"

#include <algorithm>

#include "ui/charts/curve_layer.h"
#include "ui/charts/curve_look.h"

namespace cospadi::ui {

void LayeredCurves::shrinkTo(qsizetype entries) {
    m_entries.resize(entries);
    m_layer.curves().resize(entries);
}

void LayeredCurves::draw(qsizetype index, const std::optional<QRectF>& zoomed) {
    const Entry& entry = m_entries[index];
    DrawnCurve& drawn = m_layer.curves()[index];
    drawn.points = entry.points.drawn(zoomed, m_pixels);
    drawn.spreads = entry.points.spreads();
    if (drawn.line.style() != Qt::NoPen && !m_print) {
        drawn.line.setWidthF(lineWidthOf(entry.curve, drawn.points.size() > m_pixels));
    }
}

void LayeredCurves::set(const QList<Curve>& curves, const CurvesShown& shown,
                        const std::optional<QRectF>& zoomed, int pixels, bool anew) {
    const bool everything = anew || m_pixels != pixels;
    m_pixels = pixels;
    m_print = shown.print;
    shrinkTo(std::min(m_entries.size(), curves.size()));
    for (qsizetype i = 0; i < curves.size(); ++i) {
        const Curve& curve = curves[i];
        const bool lone = curve.style == Curve::Style::Points;
        const bool isNew = i == m_entries.size();
        if (isNew) {
            m_entries.append(Entry{});
            m_layer.curves().append(DrawnCurve{});
        }
        m_layer.curves()[i].markerShape = markerShape(curves, i, m_print);  // by the others as well
        if (!isNew && !everything && m_entries[i].curve == curve) {
            continue;
        }
        m_entries[i].points.setPoints(curve, shown.logarithmic, lone ? 0 : shown.smoothing);
        m_entries[i].curve = curve;
        setLook(m_layer.curves()[i], curve, curvePen(curves, i, m_print),
                m_entries[i].points.isSinglePoint(), m_print);
        draw(i, zoomed);
    }
}

void LayeredCurves::zoom(const std::optional<QRectF>& area) {
    for (qsizetype i = 0; i < m_entries.size(); ++i) {
        draw(i, area);
    }
}

CurveExtent LayeredCurves::extent() const {
    CurveExtent all;
    for (const Entry& entry : m_entries) {
        all.add(entry.points.extent());
    }
    return all;
}

int LayeredCurves::drawnPoints() const {
    qsizetype points = 0;
    for (const DrawnCurve& curve : m_layer.curves()) {
        points += curve.points.size();
    }
    return static_cast<int>(points);
}

}  // namespace cospadi::ui
