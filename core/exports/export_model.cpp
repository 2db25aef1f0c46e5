#include "core/exports/export_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "core/base/disk_space.h"
#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_name.h"
#include "core/exports/factored_layers.h"
#include "core/exports/gguf_metadata.h"
#include "core/exports/gguf_types.h"
#include "core/exports/huggingface_folder.h"
#include "core/exports/recomposed_model.h"
#include "core/exports/tensor_narrowing.h"
#include "core/model/permuted_rows.h"
#include "core/tensors/gguf_writer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

struct Cancelled {};

bool isKeptAsItIs(const RecomposedTensor& tensor) {
    return tensor.view->dtype == DType::BF16 || tensor.view->dtype == DType::F16;
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
        ExportSummary summary;
        summary.path = withoutTrailingSlash(fs::absolute(m_request.out).lexically_normal());
        requireFreeTarget(summary.path);
        const std::vector<TensorToStream> tensors = tensorsToStream();
        // Of an export to the same place that was killed.
        removeAbandoned(summary.path.parent_path(), summary.path.filename().string() + ".tmp.");
        requireDiskSpace(summary.path.parent_path(), static_cast<double>(m_total), summary.path,
                         "free some disk space and try again");
        summary.tensors = static_cast<std::int64_t>(tensors.size() + m_factors.tensors.size());
        summary.factoredLayers = m_factors.count;
        summary.factorBytes = m_factors.bytes;
        summary.bytes =
            isGguf()
                ? streamGguf(summary.path, ggufMetadata(m_model.source(), ggufTypes()), tensors)
                : writeHuggingFaceFolder(
                      summary.path,
                      {m_model, tensors, isFactored() ? &m_factors : nullptr, dtype(), m_total});
        summary.fallbacks = m_fallbacks;
        summary.seconds = m_clock.seconds();
        return summary;
    }

  private:
    bool isGguf() const { return m_request.format == ExportFormat::Gguf; }
    bool isFactored() const { return m_request.format == ExportFormat::HuggingFaceFactors; }
    DType dtype() const { return m_request.dtype.value_or(DType::BF16); }

    GgufTypes ggufTypes() const { return {dtype(), m_request.mixture}; }

    void requireFreeTarget(const fs::path& out) const {
        std::error_code ignored;
        if (fs::exists(out, ignored) &&
            !(!isGguf() && fs::is_directory(out, ignored) && fs::is_empty(out, ignored))) {
            throw Error("already exists", out.string(), "give another --out, or delete it first");
        }
        const fs::path folder = out.parent_path();
        if (!fs::is_directory(folder, ignored)) {
            throw Error("the folder does not exist", folder.string(), "create it first");
        }
    }

    DType dtypeOf(const RecomposedTensor& tensor) {
        if (isFactored() && !m_request.dtype) {
            return isKeptAsItIs(tensor) ? tensor.view->dtype : DType::F32;
        }
        if (!isGguf()) {
            return dtype();
        }
        const GgufTensorType type = ggufTensorType(tensor, ggufTypes(), m_model.config());
        if (type.written != type.wanted) {
            countFallback(type, tensor.shape[1]);
        }
        return type.written;
    }

    void countFallback(const GgufTensorType& type, std::int64_t columns) {
        const auto known =
            std::find_if(m_fallbacks.begin(), m_fallbacks.end(), [&](const TypeFallback& fallback) {
                return fallback.wanted == type.wanted && fallback.written == type.written &&
                       fallback.columns == columns;
            });
        if (known == m_fallbacks.end()) {
            m_fallbacks.push_back({type.wanted, type.written, columns, 1});
        } else {
            ++known->tensors;
        }
    }

    std::vector<TensorToStream> tensorsToStream() {
        if (isFactored()) {
            m_factors = factoredLayers(m_model);
            for (TensorToStream& tensor : m_factors.tensors) {
                tensor.produce = counted(std::move(tensor.produce));
            }
            m_total += m_factors.bytes;
        }
        std::vector<TensorToStream> result;
        for (const RecomposedTensor& tensor : m_model.tensors()) {
            if (isFactored() && tensor.view == nullptr) {
                continue;  // among the factors
            }
            TensorToStream target;
            target.name = isGguf() ? tensor.ggufName : tensor.huggingFaceName;
            target.shape = tensor.shape;
            target.dtype = dtypeOf(tensor);
            target.produce = counted([this, &tensor, dtype = target.dtype](const ByteSink& sink) {
                std::vector<float> values = m_model.values(tensor, m_pool);
                if (isGguf()) {
                    values = inGgufOrder(std::move(values), tensor);
                }
                narrow(values, dtype, tensor.huggingFaceName, m_pool, sink);
            });
            m_total += tensorBytes(target.dtype, target.shape, target.name);
            result.push_back(std::move(target));
        }
        if (isGguf()) {
            addRopeDivisors(result);
        }
        return result;
    }

    // The same, stopped where that is asked for, and told as progress.
    std::function<void(const ByteSink&)> counted(std::function<void(const ByteSink&)> produce) {
        return [this, produce = std::move(produce)](const ByteSink& sink) {
            if (m_stop.stop_requested()) {
                throw Cancelled{};
            }
            std::int64_t bytes = 0;
            produce([&](std::span<const std::byte> piece) {
                sink(piece);
                bytes += static_cast<std::int64_t>(piece.size());
            });
            tell(bytes);
        };
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
    FactoredLayers m_factors;
    std::vector<TypeFallback> m_fallbacks;
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
    if (name == "hf-factors") {
        return ExportFormat::HuggingFaceFactors;
    }
    if (name == "gguf") {
        return ExportFormat::Gguf;
    }
    throw Error(fmt::format("there is no export format \"{}\"", name), "--format",
                "use hf, hf-factors or gguf");
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
                "use bf16, f16 or f32");
}

}  // namespace cospadi
