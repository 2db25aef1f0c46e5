// The header of a safetensors file: parsing and validation, before a byte of data is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/tensors/mapped_file.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

struct SafetensorsHeader {
    std::vector<TensorView> tensors;  // views into the file, in the order of their data
    std::map<std::string, std::string> metadata;
};

// Throws cospadi::Error naming the file and what is wrong with it.
SafetensorsHeader parseSafetensorsHeader(const std::shared_ptr<const MappedFile>& file);

}  // namespace cospadi
