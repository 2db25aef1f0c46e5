// Programs of others that a benchmark measures beside ours, started through a Python that has them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cospadi::cli {

// The JSON that resources/bench/SCRIPT prints. Its messages go to stderr. Throws Error, saying what
// it `needs`, where it prints none.
nlohmann::json askPython(const std::string& python, const std::string& script,
                         const std::vector<std::string>& arguments, const std::string& needs);

}  // namespace cospadi::cli
