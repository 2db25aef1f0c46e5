// Progress of long work, told to whoever listens: the terminal line, the event stream, the window.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace cospadi {

struct Progress {
    std::string stage;       // "calibration", "perplexity", …
    std::int64_t done = 0;   // units finished, monotone
    std::int64_t total = 0;  // units in all; 0 while unknown
    double seconds = 0;      // since the stage began
    double etaSeconds = -1;  // remaining; negative while unknown
};

using ProgressCallback = std::function<void(const Progress&)>;

}  // namespace cospadi
