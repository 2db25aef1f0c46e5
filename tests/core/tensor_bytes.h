// What the tensors of a safetensors file take, its header not counted.
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/tensors/safetensors.h"

namespace cospadi::testing {

inline std::size_t tensorBytes(const std::filesystem::path& path) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    std::size_t bytes = 0;
    for (const TensorView& tensor : file.tensors()) {
        bytes += tensor.bytes.size();
    }
    return bytes;
}

}  // namespace cospadi::testing
