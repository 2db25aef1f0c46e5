// Internal to what reads sums from the cache: the files of all blocks of a folder, layer by layer.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/model/model.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

// Calls take(file, layer) with the file of the layer's block, each opened once. False where it says
// so, and where a file is missing or damaged.
template <typename Take>
bool takeCachedLayers(const std::filesystem::path& folder, const Model& model, const Take& take) {
    try {
        std::int64_t opened = -1;
        std::optional<SafetensorsFile> file;
        for (const LayerInfo& layer : model.layers()) {  // block after block
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
