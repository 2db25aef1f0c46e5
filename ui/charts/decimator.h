// From many points to what a chart can show: at most two points a pixel column, its least and its
// greatest, in order, so that no spike is lost (Qt Charts is slow from 10⁴ points on).
//
// The least and the greatest of every 16, 256, 4096 … points are kept, so that a look at any part
// costs what its pixels cost, not what its points do; points that come at the end cost only
// themselves. A value of its own, not shared between threads.
#pragma once

#include <QList>
#include <QPointF>
#include <vector>

namespace cospadi::ui {

class Decimator {
  public:
    // points: finite, ascending in x. Where they begin with those held, only the rest is looked at.
    void setPoints(const QList<QPointF>& points);
    const QList<QPointF>& points() const { return m_points; }

    // The points with low ≤ x ≤ high and the next on either side, so that lines reach the edge;
    // unchanged where there are at most 2 · pixels of them.
    QList<QPointF> inView(double low, double high, int pixels) const;
    QList<QPointF> all(int pixels) const;

  private:
    struct Extremes {  // places in m_points
        qsizetype low = 0;
        qsizetype high = 0;
    };
    Extremes joined(const Extremes& a, const Extremes& b) const;
    Extremes extremes(qsizetype begin, qsizetype end) const;  // begin < end
    QList<QPointF> columns(qsizetype begin, qsizetype end, int pixels) const;

    QList<QPointF> m_points;
    std::vector<std::vector<Extremes>> m_levels;  // of whole blocks: 16 points, 256, 4096 …
};

}  // namespace cospadi::ui
