// Dense checkpoints for other programs, from a model, a finished run or a compressed folder: a
// Hugging Face folder (safetensors) that any of its loaders takes, or a GGUF file for llama.cpp.
//
// Streamed: one tensor in memory at a time. Atomic: PATH appears when it is whole. The weights that
// were compressed stand multiplied out, so the files are as large as the original in that type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/progress.h"
#include "core/tensors/dtype.h"

namespace cospadi {

enum class ExportFormat { HuggingFace, Gguf };

struct ExportRequest {
    std::string model;  // path, run or "default"
    ExportFormat format = ExportFormat::HuggingFace;
    DType dtype = DType::BF16;  // of the weights: BF16, F16 or F32
    std::filesystem::path out;  // must not exist (an empty folder may)
    int threads = 0;
};

struct ExportSummary {
    std::filesystem::path path;
    std::int64_t bytes = 0;  // on disk
    std::int64_t tensors = 0;
    double seconds = 0;
};

// nullopt when cancelled; then, and after any Error (existing target, disk full, a weight that does
// not fit float16, a tokenizer that GGUF has no name for), nothing stands under `out`. Progress
// counts bytes, stage "export".
std::optional<ExportSummary> exportModel(const ExportRequest& request,
                                         const ProgressCallback& progress = {},
                                         const std::stop_token& stop = {});

ExportFormat exportFormatFromName(const std::string& name);  // hf, gguf; throws Error
DType exportDtypeFromName(const std::string& name);          // bf16, f16, f32; throws Error

}  // namespace cospadi
