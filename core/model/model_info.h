// What a model is, from its headers alone: for `cospadi inspect` and the window's tree.
// Milliseconds, whatever the size of the weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/model/layer_info.h"
#include "core/model/model_config.h"

namespace cospadi {

struct TokenizerFacts {
    bool present = false;
    std::string kind;          // "gpt2", "tokenizer.json", …
    std::string preTokenizer;  // "smollm", …; empty where not told in a header
    std::int64_t vocabularySize = 0;
};

struct ModelInfo {
    std::filesystem::path path;
    std::string format;  // "GGUF" or "safetensors"
    ModelConfig config;
    std::vector<LayerInfo> layers;  // linear layers of all blocks, forward order
    std::int64_t tensorCount = 0;
    std::int64_t parameters = 0;       // elements of all tensors
    std::int64_t layerParameters = 0;  // those of `layers`
    std::int64_t totalBytes = 0;       // of all weight files
    TokenizerFacts tokenizer;
};

// path: a GGUF file or a Hugging Face folder. Throws cospadi::Error as Model::load does.
ModelInfo inspectModel(const std::filesystem::path& path);

// SHA-256 of the GGUF file, or of the list of a folder's configuration, weight and tokenizer files
// with their sums. Remembered by path, size and modification time (see file_hash.h).
std::string modelSha256(const std::filesystem::path& path);

}  // namespace cospadi
