// Writing of GGUF files, version 3, little-endian, alignment 32: metadata, tensor directory, and
// tensors that are made one at a time. Atomic, as atomic_file.h promises.
//
// Readers are strict about the exact type of a metadata value (llama.cpp wants its counts as u32
// and not as u64), so each setter names it, and fields of another file are carried over as bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensors/gguf.h"
#include "core/tensors/safetensors_stream.h"

namespace cospadi {

class GgufMetadata {
  public:
    void setText(const std::string& key, std::string_view value);
    void setU32(const std::string& key, std::uint32_t value);
    void setF32(const std::string& key, float value);
    void setBool(const std::string& key, bool value);
    void setTexts(const std::string& key, const std::vector<std::string>& values);
    void setI32s(const std::string& key, const std::vector<std::int32_t>& values);

    // Every field of `file` with its exact type, in its order.
    void copyFrom(const GgufFile& file);
    void erase(const std::string& key);

    std::uint64_t count() const { return m_fields.size(); }
    std::string bytes() const;  // as they stand in the file

  private:
    struct Field {
        std::string key;
        std::uint32_t type;
        std::string value;  // encoded
    };
    void set(const std::string& key, std::uint32_t type, std::string value);

    std::vector<Field> m_fields;
};

// Tensors are written in the order given, with the names and shapes given (slowest dimension first;
// the file has them reversed); F32, F16, BF16 and the types that block_quantizer.h writes. Returns
// the size of the file in bytes.
std::int64_t streamGguf(const std::filesystem::path& path, const GgufMetadata& metadata,
                        const std::vector<TensorToStream>& tensors);

}  // namespace cospadi
