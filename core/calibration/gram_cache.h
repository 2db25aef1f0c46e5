// Gram matrices on disk: <cache directory>/grams/<key>.safetensors. A key is one F64 tensor with
// the upper triangle column by column, d1 (d1 + 1) / 2 values. Written atomically. A file that is
// damaged or belongs to other settings counts as absent.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/calibration/calibration.h"

namespace cospadi {

// SHA-256 over model hash, text hash, sequences, length, seed and the version of the sampling.
std::string gramCacheKey(const Model& model, const CalibrationOptions& options);

std::filesystem::path gramCacheFile(const std::string& key);

std::optional<GramSet> readGramCache(const std::string& key, const Model& model);

// Throws cospadi::Error where it cannot be written.
void writeGramCache(const std::string& key, const GramSet& set);

}  // namespace cospadi
