// Reading of GGUF files, versions 2 and 3, little-endian: header, metadata, tensor directory.
//
// All counts, lengths, dimensions, offsets and the alignment are checked against overflow and the
// file's size before use; a violation is a cospadi::Error naming file and field. Metadata strings
// and arrays stay in the mapping. Immutable after open, so thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tensors/mapped_file.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

// Numbers are widened to the largest type of their kind; arrays hold elements of one kind.
using GgufValue =
    std::variant<std::int64_t, double, bool, std::string_view, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string_view>>;

class GgufFile {
  public:
    static GgufFile open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_mapping->path(); }
    const std::vector<TensorView>& tensors() const { return m_tensors; }
    const TensorView* find(const std::string& name) const;

    const std::map<std::string, GgufValue, std::less<>>& metadata() const { return m_metadata; }
    // Typed access: nullopt (null) when the key is absent, Error when its type differs.
    std::optional<std::int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    std::optional<bool> boolean(std::string_view key) const;
    std::optional<std::string> string(std::string_view key) const;
    const std::vector<std::string_view>* strings(std::string_view key) const;
    const std::vector<std::int64_t>* integers(std::string_view key) const;
    const std::vector<double>* numbers(std::string_view key) const;

    std::shared_ptr<const MappedFile> mapping() const { return m_mapping; }

  private:
    const GgufValue* value(std::string_view key) const;

    std::shared_ptr<const MappedFile> m_mapping;
    std::map<std::string, GgufValue, std::less<>> m_metadata;
    std::vector<TensorView> m_tensors;
    std::map<std::string, std::size_t> m_byName;
};

}  // namespace cospadi
