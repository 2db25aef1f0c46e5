#include "core/model/weight_source.h"

#include <array>
#include <utility>

#include "core/base/error.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Hugging Face module below model.layers.N -> GGUF name below blk.N.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kBlockNames = {{
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"input_layernorm", "attn_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
}};

void requireShape(const TensorView& view, const std::vector<std::int64_t>& shape) {
    if (view.shape != shape || !isFloatLike(view.dtype)) {
        throw Error("tensor " + printableName(view.name) +
                        " does not have the shape or type given in the configuration",
                    view.file, "configuration and weights do not belong together");
    }
}

}  // namespace

std::pair<std::int64_t, std::int64_t> layerShape(const ModelConfig& c, std::string_view kind) {
    const std::int64_t attention = c.heads * c.headDim;
    if (kind == "attn_q") {
        return {c.hiddenSize, attention};
    }
    if (kind == "attn_k" || kind == "attn_v") {
        return {c.hiddenSize, c.keyValueHeads * c.headDim};
    }
    if (kind == "attn_output") {
        return {attention, c.hiddenSize};
    }
    if (kind == "ffn_down") {
        return {c.intermediateSize, c.hiddenSize};
    }
    return {c.hiddenSize, c.intermediateSize};
}

std::string ggufName(const std::string& name) {
    if (name == "model.embed_tokens.weight") {
        return "token_embd.weight";
    }
    if (name == "lm_head.weight") {
        return "output.weight";
    }
    if (name == "model.norm.weight") {
        return "output_norm.weight";
    }
    constexpr std::string_view kPrefix = "model.layers.";
    if (name.starts_with(kPrefix)) {
        const std::size_t dot = name.find('.', kPrefix.size());
        const std::size_t last = name.rfind('.');
        for (const auto& [module, short_name] : kBlockNames) {
            if (dot < last && name.substr(dot + 1, last - dot - 1) == module) {
                return "blk." + name.substr(kPrefix.size(), dot - kPrefix.size()) + "." +
                       std::string(short_name) + name.substr(last);
            }
        }
    }
    return name;
}

WeightSource WeightSource::open(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        throw Error("there is no such model", path.string(),
                    "give a GGUF file or a Hugging Face folder");
    }
    refusePickle(path);
    WeightSource source;
    source.path = path;
    if (fs::is_directory(path, ignored)) {
        source.config = modelConfigFromHuggingFace(path / "config.json");
        source.folder = SafetensorsFolder::open(path);
    } else if (path.extension() == ".safetensors") {
        throw Error("is a single safetensors file without its configuration", path.string(),
                    "give the folder that contains it and config.json");
    } else {
        source.gguf = GgufFile::open(path);
        if (source.gguf->integer("split.count").value_or(1) > 1) {
            throw Error("is one part of a split GGUF file", path.string(),
                        "join the parts with llama-gguf-split --merge");
        }
        source.config = modelConfigFromGguf(*source.gguf);
    }
    return source;
}

void WeightSource::leaveOut(const std::vector<std::int64_t>& blocks) {
    kept = KeptBlocks(config.blocks, blocks, path.string());
    config.blocks = kept.countOf(config.blocks);
}

const TensorView* WeightSource::find(const std::string& huggingFaceName) const {
    const std::string name = kept.originalName(huggingFaceName);
    return gguf ? gguf->find(ggufName(name)) : folder->find(name);
}

const TensorView& WeightSource::require(const std::string& huggingFaceName,
                                        const std::vector<std::int64_t>& shape) const {
    const TensorView* view = find(huggingFaceName);
    if (view == nullptr) {
        throw Error("has no tensor " + (gguf ? ggufName(huggingFaceName) : huggingFaceName),
                    path.string(), "the model is incomplete or of another architecture");
    }
    requireShape(*view, shape);
    return *view;
}

std::int64_t WeightSource::permutedHeads(std::string_view kind) const {
    if (!gguf || config.architecture != "llama") {
        return 0;
    }
    return kind == "attn_q" ? config.heads : kind == "attn_k" ? config.keyValueHeads : 0;
}

std::vector<LayerInfo> WeightSource::layers() const {
    // Even a compressed block has more than one tensor: no list of layers longer than the file.
    const std::size_t tensors = gguf ? gguf->tensors().size() : folder->tensorCount();
    if (static_cast<std::size_t>(config.blocks) > tensors) {
        throw Error("has " + std::to_string(tensors) + " tensors for " +
                        std::to_string(config.blocks) + " blocks",
                    path.string(), "the model is incomplete, or its configuration is damaged");
    }
    std::vector<LayerInfo> result;
    for (std::int64_t block = 0; block < config.blocks; ++block) {
        for (const std::string_view kind : kLayerKinds) {
            const auto [d1, d2] = layerShape(config, kind);
            LayerInfo info{layerName(block, kind), block, std::string(kind), d1, d2, "", 0,
                           gramKeyOf(block, kind)};
            if (const TensorView* view = find(huggingFaceName(block, kind) + ".weight")) {
                requireShape(*view, {d2, d1});
                info.storedDtype = std::string(dtypeName(view->dtype));
                info.storedBytes = static_cast<std::int64_t>(view->bytes.size());
            } else if (gguf) {
                throw Error("has no weight for " + info.name, path.string(),
                            "the model is incomplete or of another architecture");
            }
            result.push_back(std::move(info));
        }
    }
    return result;
}

std::vector<fs::path> WeightSource::weightFiles() const {
    if (gguf) {
        return {path};
    }
    std::vector<fs::path> files;
    for (const SafetensorsFile& file : folder->files()) {
        files.push_back(file.path());
    }
    return files;
}

}  // namespace cospadi
