// What a benchmark says: figures with the peer or the limit beside them, and whether they hold.
#pragma once

#include <string>
#include <vector>

#include "app/cli/session.h"

namespace cospadi::cli {

struct Check {
    std::string name;
    double value = 0;
    std::string unit;
    std::string peer;
    double peerValue = 0;
    double ratio = 0;   // value / peer_value, or as the name says
    double target = 0;  // what the ratio is held against
    bool holds = false;
};

// Of what several rounds measured; at least one.
double median(std::vector<double> values);
// Of the rounds' ratios, values over peers: a machine that slows down now and then slows both of a
// round down.
double medianRatio(const std::vector<double>& values, const std::vector<double>& peers);

// Of all threads of this process so far: what work costs whoever else uses the machine.
double processorSeconds();

// A table below `notes`, or {"checks": […]}. Returns kOk, or kMissed where one does not hold.
int publishChecks(const Session& session, const std::vector<Check>& checks,
                  const std::string& notes);

}  // namespace cospadi::cli
