#include "core/exports/compressed_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/exports/model_side_files.h"
#include "core/forms/matrix_file.h"
#include "core/forms/matrix_tensors.h"
#include "core/forms/removed/removed_weight.h"
#include "core/model/kept_blocks.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/model/shared_factors.h"
#include "core/store/json_field.h"
#include "core/store/locations.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/safetensors_stream.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace {

constexpr const char* kQuantMethod = "cospadi";
constexpr const char* kRestFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

std::string fileOf(const std::string& layer) { return layer + ".safetensors"; }

// What a run that is damaged needs: matrices that are whole stay as they are.
std::string againHint(const std::filesystem::path& run) {
    return fmt::format("run its compress command again with --out {}; damaged files are made again",
                       run.string());
}

nlohmann::json specificationOf(const std::filesystem::path& run) {
    const std::filesystem::path path = run / "run.json";
    const char* hint = "the run cannot be read without it: compress again into another directory";
    return fieldOf(readRunJson(path, hint), "specification", path, hint);
}

std::unique_ptr<LinearLayer> layerOf(const std::filesystem::path& matrixFile,
                                     SharedFactors& shared) {
    const StoredMatrix stored = readMatrixFile(matrixFile);
    std::unique_ptr<LinearLayer> layer = stored.weight->makeLayer(stored.record.bytes);
    if (!stored.record.unit.empty()) {
        shared.share(stored.record.unit, *layer);
    }
    return layer;
}

// Names of the layers that a finished run has matrices of, as the files of its model have them.
std::set<std::string> compressedLayersOf(const std::filesystem::path& run) {
    const std::filesystem::path path = run / "result.json";
    const std::string hint = againHint(run);
    std::set<std::string> names;
    for (const auto& matrix : fieldOf(readRunJson(path, hint), "matrices", path, hint)) {
        names.insert(fieldOf<std::string>(matrix, "name", path, hint));
    }
    return names;
}

Model loadRun(const std::filesystem::path& run, LoadOptions options) {
    const std::filesystem::path original = originalOf(run);
    const std::set<std::string> compressed = compressedLayersOf(run);
    const std::filesystem::path matrices = run / "matrices";
    options.leftOut = leftOutBlocks(matrices);
    options.storedLayer =
        [&, shared = std::make_shared<SharedFactors>()](const std::string& layer) -> MakeLayer {
        if (!compressed.contains(layer)) {
            return nullptr;
        }
        return [file = matrices / fileOf(layer), shared, hint = againHint(run)] {
            try {
                return layerOf(file, *shared);
            } catch (const Error& error) {
                throw Error(error.problem(), error.where(), hint);
            }
        };
    };
    Model model = Model::load(original, options);
    const auto leftOut = static_cast<std::int64_t>(options.leftOut.size());
    const KeptBlocks kept(model.config().blocks + leftOut, options.leftOut, run.string());
    for (const std::string& layer : compressed) {
        if (const auto placed = kept.placedName(layer)) {
            static_cast<void>(
                model.layerInfo(*placed));  // throws where the model has no such layer
        }
    }
    return model;
}

Model loadFolder(const std::filesystem::path& path, LoadOptions options) {
    if (isCompressedFolder(path) && !isWholeModel(path)) {
        throw Error("the model is incomplete: writing it was interrupted", path.string(),
                    "run the compress command that made it again, with --model");
    }
    options.storedLayer =
        [&, shared = std::make_shared<SharedFactors>()](const std::string& layer) -> MakeLayer {
        const std::filesystem::path file = path / fileOf(layer);
        if (!std::filesystem::exists(file)) {
            return nullptr;
        }
        return [file, shared] { return layerOf(file, *shared); };
    };
    return Model::load(path, options);
}

// Tensors that were not compressed, in the precision they came in: bf16 and f16 exactly, all else
// as f32. Their elements are asked for when they are written.
class RestOfModel {
  public:
    void add(const std::string& name, const std::vector<std::int64_t>& shape,
             const std::string& storedDtype, std::function<std::vector<float>()> values) {
        const DType dtype = storedDtype == "BF16"  ? DType::BF16
                            : storedDtype == "F16" ? DType::F16
                                                   : DType::F32;
        m_tensors.push_back(
            {name, dtype, shape, [values = std::move(values), dtype](const ByteSink& sink) {
                 const std::vector<float> wide = values();
                 if (dtype == DType::F32) {
                     sink(std::as_bytes(std::span<const float>(wide)));
                     return;
                 }
                 std::vector<std::uint16_t> narrow(wide.size());
                 std::transform(wide.begin(), wide.end(), narrow.begin(),
                                dtype == DType::BF16 ? floatToBfloat16 : floatToHalf);
                 sink(std::as_bytes(std::span<const std::uint16_t>(narrow)));
             }});
    }

    void write(const std::filesystem::path& path, nlohmann::json& weightMap) const {
        streamSafetensors(path, m_tensors, {{"format", "pt"}});
        for (const TensorToStream& tensor : m_tensors) {
            weightMap[tensor.name] = path.filename().string();
        }
    }

  private:
    std::vector<TensorToStream> m_tensors;
};

// The file of a matrix or unit, with its tensors in the index.
void addFile(const std::filesystem::path& file, const std::filesystem::path& folder,
             nlohmann::json& weightMap) {
    const std::string name = file.filename().string();
    linkOrCopy(file, folder / name);
    const SafetensorsFile contents = SafetensorsFile::open(file);
    for (const TensorView& tensor : contents.tensors()) {
        weightMap[tensor.name] = name;
    }
}

// The same of a layer that has moved up behind blocks that are left out: its tensors have another
// name, and so it is written anew.
void addMoved(const std::filesystem::path& file, std::int64_t block,
              const std::filesystem::path& folder, nlohmann::json& weightMap) {
    StoredMatrix stored = readMatrixFile(file);
    if (!stored.record.unit.empty()) {
        throw Error("shares a factor, but blocks before it are removed", stored.record.name,
                    "this is a bug; please report it");
    }
    stored.record.block = static_cast<int>(block);
    stored.record.name = layerName(block, stored.record.kind);
    const std::filesystem::path moved = unitFile(folder, stored.record.name);
    writeMatrixFile(moved, *stored.weight, stored.record);
    const SafetensorsFile contents = SafetensorsFile::open(moved);
    for (const TensorView& tensor : contents.tensors()) {
        weightMap[tensor.name] = moved.filename().string();
    }
}

}  // namespace

std::filesystem::path runDirectoryOf(const std::string& word) {
    if (std::filesystem::path named = runDirectoryNamed(word); !named.empty()) {
        return named;
    }
    std::error_code failed;
    if (word == "default" || std::filesystem::exists(word, failed)) {
        return {};
    }
    std::optional<RunStore> store;
    std::string id;
    try {  // an id, or the beginning of one: the store knows where that run lies
        store = RunStore::open(storePath(), RunStore::Access::ReadOnly);
        id = store->find(word).id;
    } catch (const Error&) {
        return {};
    }
    return store->directoryOf(id);
}

std::filesystem::path originalOf(const std::filesystem::path& run) {
    const nlohmann::json specification = specificationOf(run);
    if (!std::filesystem::exists(run / "result.json")) {
        throw Error("the run is not finished", run.string(),
                    "run the same compress command again to finish it");
    }
    const std::filesystem::path runFile = run / "run.json";
    const std::string hint = againHint(run);
    const auto word = fieldOf<std::string>(specification, "model", runFile, hint);
    std::filesystem::path path = locateModel(word);
    if (modelSha256(path) != fieldOf<std::string>(specification, "model_sha256", runFile, hint)) {
        throw Error("the model has changed since the run", word,
                    "put the original model back, or compress again");
    }
    return path;
}

bool isCompressedFolder(const std::filesystem::path& model) {
    const std::filesystem::path config = model / "config.json";
    if (!std::filesystem::exists(config)) {
        return false;
    }
    const nlohmann::json object = readRunJson(config, "fetch the model again");
    const auto quantization = object.find("quantization_config");
    return quantization != object.end() && quantization->is_object() &&
           quantization->value("quant_method", nlohmann::json()) == kQuantMethod;
}

bool isWholeModel(const std::filesystem::path& folder) {
    std::error_code failed;
    return std::filesystem::exists(folder / kIndexFile, failed);
}

Model loadModelOrRun(const std::string& word, LoadOptions options) {
    if (const std::filesystem::path run = runDirectoryOf(word); !run.empty()) {
        return loadRun(run, std::move(options));
    }
    const std::filesystem::path path = locateModel(word);
    return std::filesystem::is_directory(path) ? loadFolder(path, std::move(options))
                                               : Model::load(path, options);
}

Model loadForEvaluation(const std::string& word, const ComputeDevice& device) {
    constexpr std::int64_t kHeldBytes = std::int64_t{1} << 30;  // made once for all of the text
    return loadModelOrRun(
        word, {.deferredAbove = device.open ? std::nullopt : std::optional(kHeldBytes)});
}

void requireWritableModel(const Model& original) {
    requireSideFiles(WeightSource::open(original.sourcePath()));
}

void writeCompressedModel(const std::filesystem::path& run, const Model& original) {
    const std::filesystem::path folder = run / "model";
    std::filesystem::create_directories(folder);
    // The index first: without it the folder is not yet a model, or no longer one.
    std::filesystem::remove(folder / kIndexFile);
    const nlohmann::json specification = specificationOf(run);
    WeightSource source = WeightSource::open(original.sourcePath());
    source.leaveOut(leftOutBlocks(run / "matrices"));
    const KeptBlocks& kept = source.kept;

    nlohmann::json weightMap = nlohmann::json::object();
    nlohmann::json compressedLayers = nlohmann::json::array();
    std::set<std::string> shared;  // files of units
    RestOfModel rest;
    for (const PlainTensor& tensor : original.plainTensors()) {
        const auto name = kept.placedName(tensor.huggingFaceName);
        if (!name) {
            continue;
        }
        rest.add(*name, tensor.shape, tensor.storedDtype, tensor.values);
    }
    for (const LayerInfo& layer : original.layers()) {
        const auto block = kept.placeOf(layer.block);
        if (!block) {
            continue;
        }
        const std::filesystem::path matrix = run / "matrices" / fileOf(layer.name);
        if (*block != layer.block && std::filesystem::exists(matrix)) {
            addMoved(matrix, *block, folder, weightMap);
            compressedLayers.push_back(layerName(*block, layer.kind));
        } else if (std::filesystem::exists(matrix)) {
            addFile(matrix, folder, weightMap);
            const std::string unit = StoredTensors(matrix).record().unit;
            if (!unit.empty() && shared.insert(unit).second) {
                addFile(unitFile(run / "matrices", unit), folder, weightMap);
            }
            compressedLayers.push_back(layer.name);
        } else {
            rest.add(huggingFaceName(*block, layer.kind) + ".weight", {layer.d2, layer.d1},
                     layer.storedDtype, [&original, name = layer.name] {
                         const Eigen::MatrixXf weight = original.weight(name);
                         return std::vector<float>(weight.data(), weight.data() + weight.size());
                     });
        }
    }
    rest.write(folder / kRestFile, weightMap);

    nlohmann::json config =
        huggingFaceConfig(source, source.config.storedDtype == "BF16"  ? "bfloat16"
                                  : source.config.storedDtype == "F16" ? "float16"
                                                                       : "float32");
    config["quantization_config"] = {
        {"quant_method", kQuantMethod},
        {"format", 1},
        {"method", fieldOf(specification, "method", run / "run.json", againHint(run))},
        {"layers", compressedLayers}};
    writeFileAtomically(folder / "config.json", config.dump(2) + "\n");
    writeSideFiles(source, folder);
    // The index last.
    const nlohmann::json index{{"metadata", {{"format", "pt"}}}, {"weight_map", weightMap}};
    writeFileAtomically(folder / kIndexFile, index.dump(1) + "\n");
}

}  // namespace cospadi
