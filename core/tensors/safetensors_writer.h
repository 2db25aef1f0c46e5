// Atomic writing of safetensors files; see atomic_file.h for what that promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/tensors/atomic_file.h"
#include "core/tensors/dtype.h"

namespace cospadi {

// What to write; bytes must stay valid during the call and hold exactly the shape's elements.
struct TensorToWrite {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;  // slowest dimension first
    std::span<const std::byte> bytes;
};

// Tensors are ordered by alignment and name, data starts at a multiple of 8. Only types that
// safetensors knows (no GGUF quantisation). Returns the size of the file in bytes.
std::int64_t writeSafetensors(const std::filesystem::path& path,
                              const std::vector<TensorToWrite>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

}  // namespace cospadi
