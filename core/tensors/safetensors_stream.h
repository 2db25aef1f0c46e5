// Writing of safetensors files whose tensors are made one at a time, so that a model of any size
// passes through the memory of its largest tensor. Atomic, as atomic_file.h promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/tensors/dtype.h"

namespace cospadi {

// Takes the next bytes of a tensor; they may be reused after the call.
using ByteSink = std::function<void(std::span<const std::byte>)>;

// What to write; `produce` is called once, in the order of the file, and must give exactly the
// bytes of dtype and shape (slowest dimension first).
struct TensorToStream {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::function<void(const ByteSink&)> produce;
};

// Tensors are ordered by alignment and name, data starts at a multiple of 8. Only types that
// safetensors knows (no GGUF quantisation). Returns the size of the file in bytes.
std::int64_t streamSafetensors(const std::filesystem::path& path,
                               const std::vector<TensorToStream>& tensors,
                               const std::map<std::string, std::string>& metadata = {});

// Bytes of a tensor of this type and shape; Error naming `where` where they overflow.
std::int64_t tensorBytes(DType dtype, const std::vector<std::int64_t>& shape,
                         const std::string& where);

}  // namespace cospadi
