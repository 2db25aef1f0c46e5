// A checkpoint of a whole model's shapes with random bfloat16 weights, on disk as Hugging Face has
// one: for what a run takes of a model of any size.
#pragma once

#include <filesystem>
#include <functional>

#include "app/cli/bench/model_bench.h"

namespace cospadi::cli {

struct MadeUpModel {
    std::int64_t blocks = 0, hidden = 0, feedForward = 0, keyValue = 0, headDim = 0;
    std::int64_t vocabulary = 128256;
    bool tiedEmbeddings = false;

    double parameters() const;
    double weightBytes() const { return 2 * parameters(); }
};

// Of Llama's architecture, whatever the set's own is.
MadeUpModel madeUpModel(const ModelSet& set);

// Writes config.json, model.safetensors and the tokenizer of another model (a GGUF file or folder)
// into `folder`. Seeded. progress: bytes written so far, may be empty. Throws Error where the disk
// is full.
void writeMadeUpModel(const MadeUpModel& model, const std::filesystem::path& tokenizerOf,
                      const std::filesystem::path& folder,
                      const std::function<void(double)>& progress);

}  // namespace cospadi::cli
