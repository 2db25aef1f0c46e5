// Programs of others that a benchmark measures beside ours, started through a Python that has them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tensors/dtype.h"

namespace cospadi::cli {

// A model as a GGUF file for llama.cpp. Throws Error as exportModel() does.
void exportGguf(const std::string& model, DType dtype, const std::filesystem::path& file);

// The JSON that resources/bench/SCRIPT prints. Its messages go to stderr. Throws Error, saying what
// it `needs`, where it prints none.
nlohmann::json askPython(const std::string& python, const std::string& script,
                         const std::vector<std::string>& arguments, const std::string& needs);

}  // namespace cospadi::cli
