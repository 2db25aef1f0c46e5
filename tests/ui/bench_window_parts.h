// What bench_window measures, a file for each part.
#pragma once

namespace bench_window {

class Results;
class WatchedApplication;

// bench_window_start.cpp; the first is what the second starts.
int startOnce();
void startOfTheWindow(Results& results);

// bench_window_events.cpp; the first is the engine of the second.
int playEngine();
void streamOfEvents(WatchedApplication& application, Results& results);

// bench_window_charts.cpp.
void chartsOfAMillionPoints(Results& results);

// bench_window_pattern.cpp.
void largePattern(Results& results);

// bench_window_runs.cpp.
void tenThousandRuns(WatchedApplication& application, Results& results);

}  // namespace bench_window
