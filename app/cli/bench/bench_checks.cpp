#include "app/cli/bench/bench_checks.h"

#include <fmt/format.h>

#include <ctime>

namespace cospadi::cli {

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
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
