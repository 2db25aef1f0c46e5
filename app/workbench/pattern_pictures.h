// Part of the tour: pictures of the page Pattern, of one run, of two beside each other, through the
// depth of the model and over a setting of the ablation.
#pragma once

namespace cospadi::app {

struct Tour;

void photographPatterns(const Tour& tour);

}  // namespace cospadi::app
