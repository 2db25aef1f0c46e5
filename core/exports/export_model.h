// Checkpoints for other programs, from a model, a finished run or a compressed folder.
//
// Dense: a Hugging Face folder (safetensors) that any of its loaders takes, or a GGUF file for
// llama.cpp. The weights that were compressed stand multiplied out, so the files are as large as
// the original in that type. Factored: a Hugging Face folder with the compressed layers as the run
// stored them, and the modelling file that transformers reads them with (factored_layers.h).
//
// Streamed: one tensor in memory at a time. Atomic: PATH appears when it is whole. A folder has a
// model card, README.md (model_card.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/tensors/dtype.h"

namespace cospadi {

enum class ExportFormat { HuggingFace, HuggingFaceFactors, Gguf };

struct ExportRequest {
    std::string model;  // path, run or "default"
    ExportFormat format = ExportFormat::HuggingFace;
    // Of the dense weights: BF16, F16, F32; of a GGUF file also a type that block_quantizer.h
    // writes. Absent: BF16; beside factors every tensor's own where that is BF16 or F16, else F32.
    std::optional<DType> dtype;
    std::filesystem::path out;  // must not exist (an empty folder may)
    int threads = 0;
    bool mixture = false;  // with Q4_K and Q5_K: llama.cpp's Q4_K_M and Q5_K_M (gguf_types.h)
};

// Tensors of a GGUF file whose rows of `columns` elements are no whole blocks of the type meant for
// them.
struct TypeFallback {
    DType wanted = DType::F32;
    DType written = DType::F32;
    std::int64_t columns = 0;
    std::int64_t tensors = 0;
};

struct ExportSummary {
    std::filesystem::path path;
    std::int64_t bytes = 0;  // on disk
    std::int64_t tensors = 0;
    // Of HuggingFaceFactors: how many layers are factored, and what their tensors take of `bytes`.
    std::int64_t factoredLayers = 0;
    std::int64_t factorBytes = 0;
    std::vector<TypeFallback> fallbacks;
    double seconds = 0;
};

// nullopt when cancelled; then, and after any Error (existing target, disk full, a weight that does
// not fit float16, a tokenizer that GGUF has no name for), nothing stands under `out`. Progress
// counts bytes, stage "export".
std::optional<ExportSummary> exportModel(const ExportRequest& request,
                                         const ProgressCallback& progress = {},
                                         const std::stop_token& stop = {});

ExportFormat exportFormatFromName(const std::string& name);  // hf, hf-factors, gguf; throws Error
DType exportDtypeFromName(const std::string& name);          // bf16, f16, f32; throws Error

}  // namespace cospadi
