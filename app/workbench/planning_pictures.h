// Part of the tour: pictures of the pages on which one looks at a model and plans, Model, Plan,
// Explore and Whole, and of Monitor, which shows the latest run.
#pragma once

namespace cospadi::app {

struct Tour;

void photographPlanning(const Tour& tour);

}  // namespace cospadi::app
