// Gram matrices on disk: <cache directory>/grams/<key>/block-NNN.safetensors, one file a block of
// the model, each Gram one F64 tensor with the upper triangle column by column, d1 (d1 + 1) / 2
// values; held-out sums beside it as NAME.held_out. <key>.partial holds the first blocks of an
// unfinished one, and what the next goes on from. A folder that is damaged or belongs to other
// settings counts as absent.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

// The tensor of the sums over held-out sequences, beside that of the fitted ones.
std::string heldOutKey(const std::string& gramKey);

// SHA-256 over model hash, text hash, sequences, length, seed, the version of the sampling and,
// where there are any, the number of held-out sequences.
std::string gramCacheKey(const std::string& modelSha256, const CalibrationOptions& options);

std::filesystem::path gramCacheFolder(const std::string& key);
// Whether the sums of the first so many blocks are there, 0: of all. Not looked into.
bool areGramsCached(const std::string& key, std::int64_t blocks = 0);
std::filesystem::path gramBlockFile(const std::filesystem::path& folder, std::int64_t block);

// The upper triangle of a symmetric (n, n), column by column, n (n + 1) / 2 values; and back.
std::vector<double> packedGram(const Eigen::MatrixXd& gram);
Eigen::MatrixXd unpackedGram(std::span<const std::byte> bytes, std::int64_t n);

// Whether it is of this format and key, by its metadata: an older or a foreign file is not.
bool isCacheOf(const SafetensorsFile& file, const std::string& format, const std::string& key);

// Whether such a file is there, whole, and of this key.
bool isGramBlock(const std::filesystem::path& file, const std::string& key);

// Atomic. Throws cospadi::Error where it cannot be written.
void writeGramBlock(const std::filesystem::path& file, const std::string& key,
                    const std::map<std::string, Eigen::MatrixXd>& grams);

// Maps the blocks of a folder that the options ask for, where that is not all of them also of its
// partial one; nullopt where one is missing, damaged or foreign. layers: of the model.
std::optional<GramSet> openGrams(const std::filesystem::path& folder, const std::string& key,
                                 const std::vector<LayerInfo>& layers,
                                 const CalibrationOptions& options);

// A single Gram (d1, d1), for a look at one matrix; nullopt where it is not cached.
std::optional<Eigen::MatrixXd> readCachedGram(const std::string& key, const std::string& gramKey,
                                              std::int64_t d1);

}  // namespace cospadi
