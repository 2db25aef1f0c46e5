#include "app/cli/bench/bench_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>

namespace cospadi::cli {

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double medianRatio(const std::vector<double>& values, const std::vector<double>& peers) {
    std::vector<double> ratios(values.size());
    std::transform(values.begin(), values.end(), peers.begin(), ratios.begin(), std::divides<>());
    return median(ratios);
}

int publishChecks(const Session& session, const std::vector<Check>& checks,
                  const std::string& notes) {
    nlohmann::json rows = nlohmann::json::array();
    std::string text = notes;
    text += fmt::format("\n{:<44} {:>11} {:<9} {:<28} {:>11} {:>9} {:>9}\n", "check", "value",
                        "unit", "peer", "peer value", "ratio", "target");
    bool all = true;
    for (const Check& c : checks) {
        rows.push_back({{"name", c.name},
                        {"value", c.value},
                        {"unit", c.unit},
                        {"peer", c.peer},
                        {"peer_value", c.peerValue},
                        {"ratio", c.ratio},
                        {"target", c.target},
                        {"holds", c.holds}});
        text += fmt::format("{:<44} {:>11.4g} {:<9} {:<28} {:>11.4g} {:>9.4g} {:>9.4g}  {}\n",
                            c.name, c.value, c.unit, c.peer, c.peerValue, c.ratio, c.target,
                            c.holds ? "holds" : "MISSED");
        all = all && c.holds;
    }
    session.print(text, {{"checks", rows}});
    return all ? kOk : kMissed;
}

}  // namespace cospadi::cli
