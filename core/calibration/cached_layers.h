// Internal to what reads sums from the cache: the files of the blocks of a folder, layer by layer.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/model/layer_info.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

// Calls take(file, layer) with the file of the layer's block, each opened once where layers stand
// block after block. False where it says so, and where a file is missing or damaged.
template <typename Take>
bool takeCachedLayers(const std::filesystem::path& folder, const std::vector<LayerInfo>& layers,
                      const Take& take) {
    try {
        std::int64_t opened = -1;
        std::optional<SafetensorsFile> file;
        for (const LayerInfo& layer : layers) {
            if (layer.block != opened) {
                file = SafetensorsFile::open(gramBlockFile(folder, layer.block));
                opened = layer.block;
            }
            if (!take(*file, layer)) {
                return false;
            }
        }
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace cospadi
