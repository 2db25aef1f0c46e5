// Part of the tour: pictures of the page Runs with its comparisons, errors by matrix and as maps,
// the ablation, its sweep as a matrix, and parallel coordinates.
#pragma once

namespace cospadi::app {

struct Tour;

void photographRuns(const Tour& tour);

}  // namespace cospadi::app
