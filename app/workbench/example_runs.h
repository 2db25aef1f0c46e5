// First part of the tour: the window is led through the runs that its pictures show
// (example_ablation.h), names them, and evaluates some on a task.
#pragma once

namespace cospadi::app {

struct Tour;

// Once the model is open. A run that fails stops the tour.
void makeExampleRuns(const Tour& tour);
// The dense model and two runs on a task: on the program's own data, whatever was fetched.
void evaluateExampleRuns(const Tour& tour);

}  // namespace cospadi::app
