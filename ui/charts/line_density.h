// How many of very many thin lines of one colour cross each pixel, and the picture that they would
// make drawn over each other half transparent. Counting is the same as drawing here, but goes ten
// times faster than a painter and backwards as well: a line that is taken away again costs itself,
// not a new picture. Pixels are those of the device. A value of its own.
#pragma once

#include <QColor>
#include <QImage>
#include <QLineF>
#include <QSize>
#include <cstdint>
#include <vector>

namespace cospadi::ui {

class LineDensity {
  public:
    void reset(const QSize& pixels);  // nothing is counted
    QSize size() const { return m_size; }

    // times: +1 adds the line, −1 takes it away. A pixel wide, both ends included; what lies
    // outside is left out. dotted: two pixels of four.
    void add(const QLineF& line, int times, bool dotted = false);
    std::int32_t countAt(int x, int y) const;

    // Over `image` (RGB32, of the same size). colour: of one line, its alpha included.
    void paintOver(QImage& image, const QColor& colour) const;

  private:
    QSize m_size;
    std::vector<std::int32_t> m_counts;  // row after row
};

}  // namespace cospadi::ui
