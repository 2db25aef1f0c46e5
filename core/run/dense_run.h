// The run that stands for a model as it is: what is measured of the dense model is recorded with
// it, so that tables and comparisons have it beside the compressed ones.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// Made where it is missing: runsDirectory()/dense-NAME-HASH, one a model, method `dense`. Empty for
// a compressed model folder, which is not dense. Throws Error as executeRun() does.
std::filesystem::path denseRunOf(const std::string& model);

}  // namespace cospadi
