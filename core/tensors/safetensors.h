// Reading of safetensors files and folders (one file, or shards named by an index).
//
// File: u64 little-endian header length, JSON header, data. Everything is validated before a tensor
// is handed out: header length (at most 100 MB and inside the file), JSON depth, duplicate names,
// dtypes, shape products, and that the tensors' ranges cover the data exactly, without overlaps or
// holes. Any violation is a cospadi::Error naming file and tensor. Immutable after open, so
// thread-safe. Pickles (.bin, .pt, .pth, .ckpt) are refused: they can run code.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/tensors/tensor_view.h"

namespace cospadi {

class SafetensorsFile {
  public:
    static SafetensorsFile open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return m_path; }
    const std::vector<TensorView>& tensors() const { return m_tensors; }
    const std::map<std::string, std::string>& metadata() const { return m_metadata; }

    const TensorView* find(const std::string& name) const;     // null when absent
    const TensorView& require(const std::string& name) const;  // Error when absent

  private:
    std::filesystem::path m_path;
    std::vector<TensorView> m_tensors;
    std::map<std::string, std::size_t> m_byName;
    std::map<std::string, std::string> m_metadata;
};

// The weights of a Hugging Face folder: model.safetensors, or the shards that
// model.safetensors.index.json names (subfolders are fine; "../", absolute paths and missing files
// are refused, and so is a tensor that stands in another shard than the index says).
class SafetensorsFolder {
  public:
    static SafetensorsFolder open(const std::filesystem::path& folder);

    const std::filesystem::path& path() const { return m_path; }
    const std::vector<SafetensorsFile>& files() const { return m_files; }
    const TensorView* find(const std::string& name) const;
    std::size_t tensorCount() const { return m_index.size(); }

  private:
    std::filesystem::path m_path;
    std::vector<SafetensorsFile> m_files;
    std::map<std::string, std::pair<std::size_t, std::string>> m_index;  // name -> (file, name)
};

// Throws cospadi::Error when the file name is that of a pickle.
void refusePickle(const std::filesystem::path& path);

}  // namespace cospadi
