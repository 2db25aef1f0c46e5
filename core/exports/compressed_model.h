// From a word to a model that runs: a path, `default`, a run (its directory or id), or a compressed
// model folder; and the writing of such a folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/linalg/compute_device.h"
#include "core/model/model.h"

namespace cospadi {

// The directory of a run where `word` names one (a directory with run.json, one under
// runsDirectory(), or an id or the beginning of one that the store knows); empty otherwise. Throws
// Error where the store knows the run, but its directory is gone or holds another one.
std::filesystem::path runDirectoryOf(const std::string& word);

// Whether a model's path is such a folder.
bool isCompressedFolder(const std::filesystem::path& model);

// Whether writeCompressedModel() came to its end in this folder.
bool isWholeModel(const std::filesystem::path& folder);

// The model that a finished run was made of. Throws Error where the run is not finished, and where
// that model is gone or another one today.
std::filesystem::path originalOf(const std::filesystem::path& run);

// Loads whatever `word` names, factors in place of the weights that were compressed. Throws Error
// as originalOf() does. Of the options storedLayer and leftOut are its own.
Model loadModelOrRun(const std::string& word, LoadOptions options = {});

// The same for one way of much text through it: of a model of more than a gigabyte of weights a
// block is in memory at a time (LoadOptions::deferredAbove), unless a device keeps them.
Model loadForEvaluation(const std::string& word, const ComputeDevice& device);

// Throws Error where writeCompressedModel() could not say in a model folder what this model is.
void requireWritableModel(const Model& original);

// Writes DIR/model from a finished run: config.json with a quantization_config, tokenizer.json,
// model.safetensors with everything that was not compressed, the matrices as hard links (copies
// where the file system has none) and the index that joins them. Self-contained; loads again with
// loadModelOrRun() to the same logits.
void writeCompressedModel(const std::filesystem::path& run, const Model& original);

}  // namespace cospadi
