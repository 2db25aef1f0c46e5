// The curves of a chart as its CurveLayer draws them. All are given at once, and only those that
// changed are worked on: smoothed, decimated to the width that there is, and given their look. The
// layer's curve i is curve i. GUI thread only.
#pragma once

#include <QList>
#include <QRectF>
#include <optional>

#include "ui/charts/drawable_curve.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

class CurveLayer;

// How all curves of a chart are shown.
struct CurvesShown {
    LogarithmicAxes logarithmic;
    int smoothing = 0;   // running mean over so many points; lone points stay as they are
    bool print = false;  // the look for paper
};

class LayeredCurves {
  public:
    explicit LayeredCurves(CurveLayer& layer) : m_layer(layer) {}

    // zoomed: in axis coordinates; none: all that there is. pixels: how wide the plot is. anew:
    // also those that have not changed, as where they are shown differently.
    void set(const QList<Curve>& curves, const CurvesShown& shown,
             const std::optional<QRectF>& zoomed, int pixels, bool anew);
    // The same curves, another part of them.
    void zoom(const std::optional<QRectF>& area);

    CurveExtent extent() const;  // of all
    int drawnPoints() const;     // over all curves, after decimation

  private:
    // A curve as it is held: what was given, and what of it can be drawn.
    struct Entry {
        Curve curve;
        DrawableCurve points;
    };

    void shrinkTo(qsizetype entries);
    void draw(qsizetype index, const std::optional<QRectF>& zoomed);

    CurveLayer& m_layer;
    QList<Entry> m_entries;
    bool m_print = false;
    int m_pixels = 0;
};

}  // namespace cospadi::ui
