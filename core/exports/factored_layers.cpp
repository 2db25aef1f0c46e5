#include "core/exports/factored_layers.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "core/base/error.h"
#include "core/forms/forms.h"
#include "core/forms/matrix_file.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFactorsFormat = 1;  // FORMAT of the modelling file

// Metadata of matrix files that their forms are read with.
constexpr const char* kNumbers[] = {
    "coefficient_bits", "dictionary_bits", "bits", "group_size", "kept", "group"};

json formOf(const SafetensorsFile& file, const MatrixRecord& record) {
    json layer{{"form", record.form}, {"d1", record.d1}, {"d2", record.d2}};
    const auto& metadata = file.metadata();
    for (const char* field : kNumbers) {
        if (const auto found = metadata.find(field); found != metadata.end()) {
            layer[field] = std::atoll(found->second.c_str());  // readMatrixFile() has checked it
        }
    }
    if (layer.contains("coefficient_bits")) {
        const auto format = metadata.find("coefficient_format");  // absent before 0.3
        layer["coefficient_format"] =
            format != metadata.end() ? format->second : std::string("short-mantissa");
    }
    if (record.k > 0) {
        layer["side"] = name(record.side);
    }
    return layer;
}

class FactorCollector {
  public:
    // The tensors of LAYER, or of a unit, under `prefix`; what config.json says of them.
    json add(const std::string& prefix, const SafetensorsFile& file, const std::string& layer) {
        json described = json::object();
        for (const TensorView& tensor : file.tensors()) {
            const std::string own = tensor.name.substr(layer.size() + 1);  // LAYER.TENSOR
            described[own] = {dtypeName(tensor.dtype), tensor.shape};
            m_found.bytes += static_cast<std::int64_t>(tensor.bytes.size());
            m_found.tensors.push_back({prefix + "." + own, tensor.dtype, tensor.shape,
                                       [tensor](const ByteSink& sink) { sink(tensor.bytes); }});
        }
        return described;
    }

    void addLayer(const std::string& name, const fs::path& path) {
        const MatrixRecord record = readMatrixFile(path).record;  // whole, or an Error
        if (!findForm(record.form)->isFactored) {
            throw Error(fmt::format("is stored as {}, which has no factors", record.form),
                        record.name, "use --format hf, which stores all weights densely");
        }
        const SafetensorsFile file = SafetensorsFile::open(path);
        json layer = formOf(file, record);
        layer["tensors"] = add(name, file, record.name);
        if (!record.unit.empty()) {
            layer["shared"] = placeOf(record.unit, path.parent_path());
        }
        m_layers[name] = std::move(layer);
    }

    FactoredLayers finish() {
        m_found.count = static_cast<std::int64_t>(m_layers.size());
        m_found.description = {{"format", kFactorsFormat},
                               {"count", m_found.count},
                               {"layers", std::move(m_layers)},
                               {"shared", std::move(m_shared)}};
        return std::move(m_found);
    }

  private:
    std::size_t placeOf(const std::string& unit, const fs::path& folder) {
        const auto [found, isNew] = m_units.emplace(unit, m_shared.size());
        if (isNew) {
            const std::string prefix = fmt::format("shared_factors.{}", found->second);
            m_shared.push_back(
                {{"tensors", add(prefix, SafetensorsFile::open(unitFile(folder, unit)), unit)}});
        }
        return found->second;
    }

    FactoredLayers m_found;
    json m_layers = json::object();
    json m_shared = json::array();
    std::map<std::string, std::size_t> m_units;
};

}  // namespace

FactoredLayers factoredLayers(const RecomposedModel& model) {
    FactorCollector collector;
    bool any = false;
    for (const RecomposedTensor& tensor : model.tensors()) {
        if (tensor.view == nullptr) {
            const std::string& weight = tensor.huggingFaceName;  // LAYER.weight
            collector.addLayer(weight.substr(0, weight.rfind('.')), tensor.matrixFile);
            any = true;
        }
    }
    if (!any) {
        throw Error("none of its layers are compressed", model.source().path.string(),
                    "export a run with compressed layers, or use --format hf");
    }
    return collector.finish();
}

void nameFactoredModel(json& config) {
    static const std::map<std::string, std::string> classes = {
        {"llama", "Llama"}, {"mistral", "Mistral"}, {"qwen2", "Qwen2"}, {"qwen3", "Qwen3"}};
    const auto architecture = config.at("model_type").get<std::string>();
    const auto found = classes.find(architecture);
    if (found == classes.end()) {
        throw Error("has no class in the modelling file", architecture,
                    "this is a bug; please report it");
    }
    const std::string prefix = "Cospadi" + found->second;
    config["model_type"] = "cospadi_" + architecture;
    config["architectures"] = {prefix + "ForCausalLM"};
    config["auto_map"] = {{"AutoConfig", "modeling_cospadi." + prefix + "Config"},
                          {"AutoModelForCausalLM", "modeling_cospadi." + prefix + "ForCausalLM"}};
}

}  // namespace cospadi
