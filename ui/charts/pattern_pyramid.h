// Pictures of matrices that are mostly zero, for a view that zooms: level 0 has a pixel an entry,
// each further level the mean of 2 × 2 pixels, so that a large pattern shows its true density at
// any zoom. The last level is at most 256 pixels wide and high. Pure; safe from any thread.
//
// Maps of shades are Indexed8, 0 (empty) … 255, in the colours of paper; what shows them sets the
// colours of the window (shadeColours()). Maps in colours are RGB32.
#pragma once

#include <QImage>
#include <QList>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cospadi::ui {

// What stands in row or column i of a map; an empty order leaves all where they are.
inline std::int64_t placed(const std::vector<std::int64_t>& order, std::int64_t i) {
    return order.empty() ? i : order[static_cast<std::size_t>(i)];
}

// Of the 256 shades: dark ink on white, or on a dark ground light ink.
QList<QRgb> shadeColours(bool dark);
// A map of shades in the colours of paper, whatever it has now; others as they are.
QImage onPaper(const QImage& image);

// rowOrder: which atom stands in row r (−1: none, the row stays empty), which column in column c;
// empty: as they are.
//
// entries: (k × d2), column-major, 0 or 1: entries[j * k + i]. 255 where there is one.
QList<QImage> patternPyramid(const std::vector<std::uint8_t>& entries, std::int64_t k,
                             std::int64_t d2, const std::vector<std::int64_t>& rowOrder,
                             const std::vector<std::int64_t>& columnOrder = {});

// values: (k × d2) as the entries, 0 where there is none. The larger |value|, the darker, 255 from
// scale on; the smallest is still seen.
QList<QImage> magnitudePyramid(const std::vector<float>& values, double scale, std::int64_t k,
                               std::int64_t d2, const std::vector<std::int64_t>& rowOrder,
                               const std::vector<std::int64_t>& columnOrder = {});

// Of densities 0 … 255, row after row.
QList<QImage> densityPyramid(const std::vector<std::uint8_t>& densities, std::int64_t rows,
                             std::int64_t columns);

// Of a picture in few colours: the further levels mix them.
QList<QImage> colourPyramid(const QImage& image);

}  // namespace cospadi::ui
