#include "core/model/model_info.h"

#include "core/model/file_hash.h"
#include "core/model/weight_source.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

ModelInfo inspectModel(const std::filesystem::path& path) {
    const WeightSource source = WeightSource::open(path);
    ModelInfo info;
    std::error_code unreadable;
    info.path = path;
    info.format = source.gguf ? "GGUF" : "safetensors";
    info.config = source.config;
    info.layers = source.layers();
    const auto count = [&](const TensorView& view) {
        ++info.tensorCount;
        info.parameters += view.elementCount();
    };
    if (source.gguf) {
        for (const TensorView& view : source.gguf->tensors()) {
            count(view);
        }
        info.tokenizer.kind =
            printableName(source.gguf->string("tokenizer.ggml.model").value_or(""));
        info.tokenizer.preTokenizer =
            printableName(source.gguf->string("tokenizer.ggml.pre").value_or(""));
        info.tokenizer.present = !info.tokenizer.kind.empty();
    } else {
        for (const SafetensorsFile& file : source.folder->files()) {
            for (const TensorView& view : file.tensors()) {
                count(view);
            }
        }
        info.tokenizer.present = std::filesystem::exists(path / "tokenizer.json", unreadable);
        info.tokenizer.kind = info.tokenizer.present ? "tokenizer.json" : "";
    }
    info.tokenizer.vocabularySize = source.config.vocabularySize;
    for (const LayerInfo& layer : info.layers) {
        info.layerParameters += layer.d1 * layer.d2;
    }
    for (const std::filesystem::path& file : source.weightFiles()) {
        info.totalBytes += static_cast<std::int64_t>(std::filesystem::file_size(file));
    }
    return info;
}

std::string modelSha256(const std::filesystem::path& path) {
    const WeightSource source = WeightSource::open(path);
    std::vector<std::filesystem::path> files = source.weightFiles();
    std::error_code unreadable;
    if (source.gguf) {
        return cachedSha256(files.front());
    }
    files.insert(files.begin(), path / "config.json");
    if (std::filesystem::exists(path / "tokenizer.json", unreadable)) {
        files.push_back(path / "tokenizer.json");
    }
    return cachedSha256(path, files);
}

}  // namespace cospadi
