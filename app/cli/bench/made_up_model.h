// A checkpoint of a whole model's shapes with random bfloat16 weights, on disk as Hugging Face has
// one: for what a run takes of a model of any size.
#pragma once

#include <filesystem>
#include <functional>

#include "app/cli/bench/model_bench.h"
#include "core/model/model_config.h"

namespace cospadi::cli {

// Of Llama's architecture, whatever the set's own is.
ModelConfig madeUpModel(const ModelSet& set);
// Of its weights as bfloat16.
double weightBytes(const ModelConfig& model);

// Writes config.json, model.safetensors and the tokenizer of another model (a GGUF file or folder)
// into `folder`. Seeded. progress: bytes written so far, may be empty. Throws Error where the disk
// is full.
void writeMadeUpModel(const ModelConfig& model, const std::filesystem::path& tokenizerOf,
                      const std::filesystem::path& folder,
                      const std::function<void(double)>& progress);

}  // namespace cospadi::cli
