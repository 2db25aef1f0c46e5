// The figures of a pattern, and of the one beside it, as the table the Pattern page shows.
#pragma once

#include <QString>

#include "ui/sources/pattern_source.h"

namespace cospadi::ui {

// Rich text. second.second.k = 0: nothing stands beside it; problem: why, where something should.
// firstName, secondName: what tells both runs apart, where it is known.
QString patternFacts(const PatternData& data, const PatternPair& second, const QString& problem,
                     const QString& firstName = {}, const QString& secondName = {});

}  // namespace cospadi::ui
