// The difference of two sparsity patterns as a picture: entries of only one run, of only the other,
// of both; of those in both, if asked for, by how much their values differ. Blue, orange and dark
// grey (after Okabe and Ito), purple and green for the sign: told apart with any kind of colour
// vision, on screen and on paper; on a dark ground what is dark becomes light. Pure; safe from any
// thread.
#pragma once

#include <QImage>
#include <QList>
#include <QString>
#include <cstdint>
#include <vector>

#include "core/patterns/pattern_difference.h"
#include "ui/charts/map_legend.h"

namespace cospadi::ui {

enum class DifferenceLook { Masks, Values };

// For a PatternView. Orders as patternPyramid() has them, rows those of the difference.
QList<QImage> differencePyramid(const PatternDifference& difference, DifferenceLook look,
                                const std::vector<std::int64_t>& rowOrder,
                                const std::vector<std::int64_t>& columnOrder, bool dark = false);

// What tells two runs apart; empty: their places alone tell.
struct PairNames {
    QString first;
    QString second;
};

QList<LegendEntry> differenceLegend(const PatternDifference& difference, DifferenceLook look,
                                    const PairNames& names = {}, bool dark = false);

// first_atom,second_atom,column,in,difference: a line for every entry of either; the difference of
// values where it is in both. Atoms are empty where a row has none.
QString differenceCsv(const PatternDifference& difference);

}  // namespace cospadi::ui
