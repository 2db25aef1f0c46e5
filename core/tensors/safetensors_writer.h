// Atomic writing of safetensors files: a temporary file in the target's folder, fsync, rename,
// fsync of the folder. A reader sees the old file or the whole new one. Any failure (disk full
// included) removes the temporary file and throws cospadi::Error; the target is then untouched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

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

// The same guarantees for a small file given whole.
void writeFileAtomically(const std::filesystem::path& path, std::span<const std::byte> content);
void writeFileAtomically(const std::filesystem::path& path, const std::string& content);

}  // namespace cospadi
