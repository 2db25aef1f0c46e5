#include "app/cli/bench/peak_memory.h"

#include <fstream>
#include <string>

namespace cospadi::cli {

double peakBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stod(line.substr(6)) * 1024;
        }
    }
    return 0;
}

void forgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace cospadi::cli
