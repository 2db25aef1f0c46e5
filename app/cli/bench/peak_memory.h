// The most that this process has held. Linux; elsewhere 0.
#pragma once

namespace cospadi::cli {

// Bytes, since the last forgetPeak().
double peakBytes();
void forgetPeak();

}  // namespace cospadi::cli
