#include "core/exports/recomposed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/forms/removed/removed_weight.h"
#include "core/model/model_locator.h"
#include "core/model/permuted_rows.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRowsPerTask = 64;

std::vector<float> widened(const TensorView& view, std::int64_t permutedHeads, ThreadPool& pool) {
    std::vector<float> values(static_cast<std::size_t>(view.elementCount()));
    if (view.shape.size() < 2) {
        const std::vector<float> stored = view.toFloat();
        const auto count = static_cast<std::int64_t>(values.size());
        for (std::int64_t i = 0; i < count; ++i) {
            values[static_cast<std::size_t>(i)] =
                stored[static_cast<std::size_t>(rowInFile(i, count, permutedHeads))];
        }
        return values;
    }
    const std::int64_t rows = view.shape[0];
    const std::int64_t size = view.elementCount() / rows;
    pool.run((rows + kRowsPerTask - 1) / kRowsPerTask, [&](std::int64_t task) {
        const std::int64_t end = std::min(rows, (task + 1) * kRowsPerTask);
        for (std::int64_t row = task * kRowsPerTask; row < end; ++row) {
            dequantize(view.dtype, rowInFile(view, row, permutedHeads), size,
                       values.data() + row * size);
        }
    });
    return values;
}

// W (d1, d2) column-major, which is Hugging Face's row-major (out, in).
std::vector<float> multipliedOut(const fs::path& file) {
    const Eigen::MatrixXf weight = readMatrixFile(file).weight->recomposed();
    return {weight.data(), weight.data() + weight.size()};
}

// Throws Error for a name that GGUF has no other for.
std::string ggufNameOf(const std::string& name) {
    std::string theirs = ggufName(name);
    if (theirs == name) {
        throw Error("has no GGUF name", name, "this is a bug; please report it");
    }
    return theirs;
}

}  // namespace

RecomposedModel::RecomposedModel(const std::string& word) {
    if (const fs::path run = runDirectoryOf(word); !run.empty()) {
        m_source = WeightSource::open(originalOf(run));
        m_run = run;
        m_matrices = run / "matrices";
        m_source.leaveOut(leftOutBlocks(m_matrices));
    } else {
        m_source = WeightSource::open(locateModel(word));
        if (m_source.folder) {
            m_matrices = m_source.path;
        }
    }
    const ModelConfig& c = m_source.config;
    add("model.embed_tokens.weight", {c.vocabularySize, c.hiddenSize});
    for (std::int64_t block = 0; block < c.blocks; ++block) {
        addBlock(block);
    }
    add("model.norm.weight", {c.hiddenSize});
    if (!c.tiedEmbeddings) {
        add("lm_head.weight", {c.vocabularySize, c.hiddenSize});
    }
}

void RecomposedModel::add(const std::string& name, const std::vector<std::int64_t>& shape,
                          std::int64_t ropeHeads) {
    m_tensors.push_back({name, ggufNameOf(name), shape, ropeHeads, &m_source.require(name, shape),
                         std::filesystem::path()});
}

void RecomposedModel::addBlock(std::int64_t block) {
    const ModelConfig& c = m_source.config;
    const std::string prefix = fmt::format("model.layers.{}.", block);
    add(prefix + "input_layernorm.weight", {c.hiddenSize});
    const std::vector<LayerInfo> layers = m_source.layers();
    for (std::size_t kind = 0; kind < kLayerKinds.size(); ++kind) {
        const LayerInfo& layer =
            layers[static_cast<std::size_t>(block) * kLayerKinds.size() + kind];
        const std::string name = huggingFaceName(block, layer.kind);
        const bool llama = c.architecture == "llama" || c.architecture == "mistral";
        const std::int64_t heads = !llama                   ? 0
                                   : layer.kind == "attn_q" ? c.heads
                                   : layer.kind == "attn_k" ? c.keyValueHeads
                                                            : 0;
        const fs::path file = m_matrices.empty()
                                  ? fs::path()
                                  : unitFile(m_matrices, m_source.kept.originalName(layer.name));
        if (!file.empty() && fs::exists(file)) {
            m_tensors.push_back({name + ".weight",
                                 ggufNameOf(name + ".weight"),
                                 {layer.d2, layer.d1},
                                 heads,
                                 nullptr,
                                 file});
        } else {
            add(name + ".weight", {layer.d2, layer.d1}, heads);
        }
        if (m_source.find(name + ".bias") != nullptr) {
            add(name + ".bias", {layer.d2}, heads);
        }
    }
    if (c.queryKeyNorm) {
        add(prefix + "self_attn.q_norm.weight", {c.headDim});
        add(prefix + "self_attn.k_norm.weight", {c.headDim});
    }
    add(prefix + "post_attention_layernorm.weight", {c.hiddenSize});
}

std::vector<float> RecomposedModel::values(const RecomposedTensor& tensor, ThreadPool& pool) const {
    // Only a GGUF file of the Llama architecture has its rows permuted.
    const bool permuted = m_source.gguf && m_source.config.architecture == "llama";
    std::vector<float> values = tensor.view != nullptr
                                    ? widened(*tensor.view, permuted ? tensor.ropeHeads : 0, pool)
                                    : multipliedOut(tensor.matrixFile);
    if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
        throw Error("contains NaN or infinity", tensor.huggingFaceName,
                    "the model or the run is damaged; fetch or compress it again");
    }
    return values;
}

}  // namespace cospadi
