#include "core/exports/export_model.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/base/temporary_name.h"
#include "core/exports/gguf_metadata.h"
#include "core/exports/model_side_files.h"
#include "core/exports/recomposed_model.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/gguf_writer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kElementsPerWrite = 1 << 20;
constexpr float kLargestHalf = 65504.0F;

struct Cancelled {};

// Rounds to nearest and hands over in pieces.
void narrow(std::span<const float> values, DType dtype, const std::string& name,
            const ByteSink& sink) {
    if (dtype == DType::F32) {
        sink(std::as_bytes(values));
        return;
    }
    std::vector<std::uint16_t> piece;
    while (!values.empty()) {
        const std::span<const float> part =
            values.first(std::min(values.size(), kElementsPerWrite));
        piece.clear();
        for (const float value : part) {
            if (dtype == DType::F16 && std::abs(value) > kLargestHalf) {
                throw Error(fmt::format("holds {}, which float16 cannot", value), name,
                            "export with --dtype bf16 or f32");
            }
            piece.push_back(dtype == DType::BF16 ? floatToBfloat16(value) : floatToHalf(value));
        }
        sink(std::as_bytes(std::span<const std::uint16_t>(piece)));
        values = values.subspan(part.size());
    }
}

std::vector<float> inGgufOrder(std::vector<float> values, const RecomposedTensor& tensor) {
    if (tensor.ropeHeads == 0) {
        return values;
    }
    const std::int64_t rows = tensor.shape[0];
    const auto size = static_cast<std::int64_t>(values.size()) / rows;
    std::vector<float> permuted(values.size());
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto source =
            values.begin() + rowInHuggingFaceOrder(row, rows, tensor.ropeHeads) * size;
        std::copy(source, source + size, permuted.begin() + row * size);
    }
    return permuted;
}

class Exporter {
  public:
    Exporter(const ExportRequest& request, const ProgressCallback& progress,
             const std::stop_token& stop)
        : m_request(request),
          m_progress(progress),
          m_stop(stop),
          m_model(request.model),
          m_pool(request.threads) {}

    ExportSummary run() {
        requireFreeTarget();
        ExportSummary summary;
        summary.path = fs::absolute(m_request.out).lexically_normal();
        if (!summary.path.has_filename()) {
            summary.path = summary.path.parent_path();  // a trailing slash
        }
        const std::vector<TensorToStream> tensors = tensorsToStream();
        // Of an export to the same place that was killed.
        removeAbandoned(summary.path.parent_path(), summary.path.filename().string() + ".tmp.");
        requireSpace(summary.path);
        summary.tensors = static_cast<std::int64_t>(tensors.size());
        summary.bytes =
            m_request.format == ExportFormat::Gguf
                ? streamGguf(summary.path, ggufMetadata(m_model.source(), m_request.dtype), tensors)
                : writeFolder(summary.path, tensors);
        summary.seconds = m_clock.seconds();
        return summary;
    }

  private:
    void requireFreeTarget() const {
        std::error_code ignored;
        const fs::path& out = m_request.out;
        if (fs::exists(out, ignored) &&
            !(m_request.format == ExportFormat::HuggingFace && fs::is_directory(out, ignored) &&
              fs::is_empty(out, ignored))) {
            throw Error("is there already", out.string(), "give another --out, or delete it first");
        }
        const fs::path folder = fs::absolute(out).parent_path();
        if (!fs::is_directory(folder, ignored)) {
            throw Error("the folder does not exist", folder.string(), "create it first");
        }
    }

    // Minutes of writing should not end in a full disk.
    void requireSpace(const fs::path& out) const {
        std::error_code failed;
        const fs::space_info space = fs::space(out.parent_path(), failed);
        if (!failed && space.available < static_cast<std::uintmax_t>(m_total)) {
            throw Error(fmt::format("needs {:.1f} MB, and {:.1f} MB are free",
                                    static_cast<double>(m_total) / 1e6,
                                    static_cast<double>(space.available) / 1e6),
                        out.string(), "free some disk space and try again");
        }
    }

    std::vector<TensorToStream> tensorsToStream() {
        const bool gguf = m_request.format == ExportFormat::Gguf;
        std::vector<TensorToStream> result;
        for (const RecomposedTensor& tensor : m_model.tensors()) {
            TensorToStream target;
            target.name = gguf ? tensor.ggufName : tensor.huggingFaceName;
            target.shape = tensor.shape;
            // llama.cpp keeps norms and biases in float32 whatever the type of the file.
            target.dtype = gguf && tensor.shape.size() < 2 ? DType::F32 : m_request.dtype;
            target.produce = [this, &tensor, gguf, dtype = target.dtype](const ByteSink& sink) {
                if (m_stop.stop_requested()) {
                    throw Cancelled{};
                }
                std::vector<float> values = m_model.values(tensor, m_pool);
                if (gguf) {
                    values = inGgufOrder(std::move(values), tensor);
                }
                narrow(values, dtype, tensor.huggingFaceName, sink);
                tell(static_cast<std::int64_t>(values.size()) * blockBytes(dtype));
            };
            m_total += tensorBytes(target.dtype, target.shape, target.name);
            result.push_back(std::move(target));
        }
        if (gguf) {
            addRopeDivisors(result);
        }
        return result;
    }

    void addRopeDivisors(std::vector<TensorToStream>& tensors) const {
        std::vector<float> divisors = ggufRopeDivisors(m_model.config());
        if (divisors.empty()) {
            return;
        }
        const auto count = static_cast<std::int64_t>(divisors.size());
        tensors.push_back({"rope_freqs.weight",
                           DType::F32,
                           {count},
                           [divisors = std::move(divisors)](const ByteSink& sink) {
                               sink(std::as_bytes(std::span<const float>(divisors)));
                           }});
    }

    // Beside the target, then renamed: a folder that is not whole is never seen under its name.
    std::int64_t writeFolder(const fs::path& target, const std::vector<TensorToStream>& tensors) {
        try {
            const TemporaryFolder temporary = TemporaryFolder::beside(target);
            const fs::path& folder = temporary.path();
            const char* dtype = m_request.dtype == DType::BF16  ? "bfloat16"
                                : m_request.dtype == DType::F16 ? "float16"
                                                                : "float32";
            writeFileAtomically(folder / "config.json",
                                huggingFaceConfig(m_model.source(), dtype).dump(2) + "\n");
            writeSideFiles(m_model.source(), folder);
            streamSafetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
            std::error_code ignored;
            fs::remove(target, ignored);  // an empty folder of that name
            fs::rename(folder, target);
        } catch (const fs::filesystem_error& error) {
            throw Error("cannot be written: " + error.code().message(), target.string(),
                        "check the folder and its permissions");
        }
        std::int64_t bytes = 0;
        for (const auto& entry : fs::directory_iterator(target)) {
            bytes += static_cast<std::int64_t>(entry.file_size());
        }
        return bytes;
    }

    void tell(std::int64_t bytes) {
        m_done += bytes;
        if (m_progress) {
            const double seconds = m_clock.seconds();
            m_progress({"export", m_done, m_total, seconds,
                        seconds * static_cast<double>(m_total - m_done) /
                            static_cast<double>(std::max<std::int64_t>(1, m_done))});
        }
    }

    const ExportRequest& m_request;
    const ProgressCallback& m_progress;
    std::stop_token m_stop;
    RecomposedModel m_model;
    ThreadPool m_pool;
    Stopwatch m_clock;
    std::int64_t m_done = 0;
    std::int64_t m_total = 0;
};

}  // namespace

std::optional<ExportSummary> exportModel(const ExportRequest& request,
                                         const ProgressCallback& progress,
                                         const std::stop_token& stop) {
    try {
        return Exporter(request, progress, stop).run();
    } catch (const Cancelled&) {
        return std::nullopt;
    }
}

ExportFormat exportFormatFromName(const std::string& name) {
    if (name == "hf") {
        return ExportFormat::HuggingFace;
    }
    if (name == "gguf") {
        return ExportFormat::Gguf;
    }
    throw Error(fmt::format("there is no export format \"{}\"", name), "--format",
                "there are: hf, gguf");
}

DType exportDtypeFromName(const std::string& name) {
    if (name == "bf16") {
        return DType::BF16;
    }
    if (name == "f16") {
        return DType::F16;
    }
    if (name == "f32") {
        return DType::F32;
    }
    throw Error(fmt::format("weights cannot be exported as \"{}\"", name), "--dtype",
                "there are: bf16, f16, f32");
}

}  // namespace cospadi
