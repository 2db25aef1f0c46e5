// How a line says what a run lost, also of methods that have no error of layers (replaceme).
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace cospadi::cli {

inline std::string meanErrorText(double relativeError) {
    return std::isfinite(relativeError) ? fmt::format("mean error {:.4f}", relativeError)
                                        : "error not measured";
}

}  // namespace cospadi::cli
