#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/cli/result_json.h"
#include "app/cli/session.h"
#include "core/exports/compressed_model.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/report/global_ratio.h"
#include "core/store/run_directory.h"
#include "core/store/source_bytes.h"

namespace cospadi::cli {

namespace {

// What a token's product with a layer takes: d1 d2 of a dense one, and what the form of a
// compressed one counts (StoredWeight), of which a run of before 0.2 says nothing.
struct LayerWork {
    std::int64_t activeAtoms = 0;
    std::optional<std::int64_t> multiplications;
};

using WorkOfLayers = std::map<std::string, LayerWork>;

std::optional<std::int64_t> multiplicationsOf(const WorkOfLayers& work) {
    std::int64_t sum = 0;
    for (const auto& [name, layer] : work) {
        if (!layer.multiplications) {
            return std::nullopt;
        }
        sum += *layer.multiplications;
    }
    return sum;
}

nlohmann::json orNull(const std::optional<std::int64_t>& count) {
    return count ? nlohmann::json(*count) : nlohmann::json(nullptr);
}

nlohmann::json layersJson(const ModelInfo& info, const WorkOfLayers& work) {
    nlohmann::json layers = nlohmann::json::array();
    for (const LayerInfo& layer : info.layers) {
        const LayerWork& own = work.at(layer.name);
        layers.push_back({{"name", layer.name},
                          {"kind", layer.kind},
                          {"block", layer.block},
                          {"d1", layer.d1},
                          {"d2", layer.d2},
                          {"dtype", layer.storedDtype},
                          {"bytes", layer.storedBytes},
                          {"active_atoms", own.activeAtoms},
                          {"multiplications", orNull(own.multiplications)}});
    }
    return layers;
}

// "k 526, s 263", "rank 150" or the form's name: what stands in the place of a dense weight.
std::string formOf(const MatrixRow& matrix) {
    return matrix.rank > 0 ? fmt::format("rank {}", matrix.rank)
           : matrix.k > 0  ? fmt::format("k {}, s {}", matrix.k, matrix.s)
                           : matrix.form;
}

// Whether every block's layers are stored as those of the block before it.
bool isSameInAllBlocks(const std::vector<LayerInfo>& layers) {
    const auto second = std::find_if(layers.begin(), layers.end(),
                                     [](const LayerInfo& layer) { return layer.block > 0; });
    return std::equal(second, layers.end(), layers.begin(),
                      [](const LayerInfo& a, const LayerInfo& b) {
                          return a.kind == b.kind && a.d1 == b.d1 && a.d2 == b.d2 &&
                                 a.storedDtype == b.storedDtype && a.storedBytes == b.storedBytes;
                      });
}

// A run is its model with some layers replaced. Its own record says what by; the model's headers
// say the rest.
struct Inspected {
    ModelInfo info;
    SourceBytes source;  // of the model's own file
    std::string run;     // empty for a model
    WorkOfLayers work;
    double layersRatio = unknownNumber;  // of the run, of the layers that it compressed
    double globalRatio = unknownNumber;  // … and of all linear layers
};

Inspected inspectModelOrRun(const std::string& word) {
    const std::filesystem::path directory = runDirectoryOf(word);
    const RunRecord record = directory.empty() ? RunRecord() : readRunDirectory(directory);
    Inspected inspected{inspectModel(directory.empty() ? locateModel(word)
                                                       : std::filesystem::path(record.run.model)),
                        {},
                        record.run.id,
                        {}};
    for (LayerInfo& layer : inspected.info.layers) {
        inspected.source.add(layer.storedDtype, layer.storedBytes);
        LayerWork& work = inspected.work[layer.name];
        work.multiplications = layer.d1 * layer.d2;
        const auto found =
            std::find_if(record.matrices.begin(), record.matrices.end(),
                         [&](const MatrixRow& matrix) { return matrix.name == layer.name; });
        if (found != record.matrices.end()) {
            layer.storedDtype = formOf(*found);
            layer.storedBytes = found->bytes;
            work = {found->activeAtoms, found->multiplications > 0
                                            ? std::optional(found->multiplications)
                                            : std::nullopt};
        }
    }
    inspected.layersRatio = record.run.measuredRatio();
    inspected.globalRatio = globalRatio(record.run.layerBytes, record.run.denseBytes,
                                        2 * inspected.info.layerParameters);
    return inspected;
}

int inspect(const Session& session, const std::string& word, bool allLayers) {
    const auto [info, source, run, work, ratio, ratioOfAll] = inspectModelOrRun(word);
    const ModelConfig& c = info.config;
    std::string text = run.empty() ? "" : fmt::format("run {} of ", run);
    text += fmt::format(
        "{}\n  {} ({}), {:.1f} M parameters, {} on disk as {}\n"
        "  {} blocks, hidden {}, feed-forward {}, heads {} / {} of {}, context {}\n"
        "  vocabulary {}, head {}\n"
        "  {} linear layers, {:.1f} M parameters: {} in the file{}, {} dense as bf16\n",
        info.path.string(), c.name, c.architecture, static_cast<double>(info.parameters) / 1e6,
        humanBytes(static_cast<double>(info.totalBytes)), c.storedDtype, c.blocks, c.hiddenSize,
        c.intermediateSize, c.heads, c.keyValueHeads, c.headDim, c.contextLength, c.vocabularySize,
        c.tiedEmbeddings ? "tied to the embedding" : "separate", info.layers.size(),
        static_cast<double>(info.layerParameters) / 1e6,
        source.known() ? humanBytes(static_cast<double>(source.bytes())) : "not all of them dense",
        source.known() ? " (" + source.types() + ")" : "",
        humanBytes(2.0 * static_cast<double>(info.layerParameters)));
    if (std::isfinite(ratio)) {
        text += ratio == ratioOfAll
                    ? fmt::format("  CR {:.4f} against bf16 as measured\n", ratio)
                    : fmt::format(
                          "  CR {:.4f} of the compressed layers, {:.4f} of all, against "
                          "bf16 as measured\n",
                          ratio, ratioOfAll);
    }
    if (source.known() && source.bytes() < 2 * info.layerParameters) {
        text +=
            "  Compression ratios are relative to bf16: a result may be larger than this file.\n";
    }
    const std::optional<std::int64_t> multiplications = multiplicationsOf(work);
    if (!run.empty()) {
        text +=
            multiplications
                ? fmt::format("  {:.3f} M multiplications a token, {:.3f} of {:.3f} M dense ones\n",
                              static_cast<double>(*multiplications) / 1e6,
                              static_cast<double>(*multiplications) /
                                  static_cast<double>(info.layerParameters),
                              static_cast<double>(info.layerParameters) / 1e6)
                : "  multiplications a token: not recorded by the version that made the run\n";
    }
    text +=
        fmt::format("\n  {:<22} {:>7} {:>7}  {:<15} {:>10} {:>10} {:>14}{}\n", "layer", "d1", "d2",
                    "dtype", "bytes", "as bf16", "mults a token", run.empty() ? "" : "  active");
    for (const LayerInfo& layer : info.layers) {
        if (!allLayers && layer.block > 0) {
            text +=
                isSameInAllBlocks(info.layers)
                    ? fmt::format("  … and the same in blocks 1 to {} (--layers lists all)\n",
                                  c.blocks - 1)
                    : fmt::format("  … and blocks 1 to {} (--layers lists them)\n", c.blocks - 1);
            break;
        }
        const LayerWork& own = work.at(layer.name);
        text += fmt::format("  {:<22} {:>7} {:>7}  {:<15} {:>10} {:>10} {:>14}{}\n", layer.name,
                            layer.d1, layer.d2, layer.storedDtype, layer.storedBytes,
                            2 * layer.d1 * layer.d2,
                            own.multiplications ? std::to_string(*own.multiplications) : "–",
                            own.activeAtoms > 0 ? fmt::format("  {:>6}", own.activeAtoms) : "");
    }
    session.print(text, {{"path", info.path.string()},
                         {"run", run},
                         {"format", info.format},
                         {"architecture", c.architecture},
                         {"name", c.name},
                         {"blocks", c.blocks},
                         {"hidden", c.hiddenSize},
                         {"intermediate", c.intermediateSize},
                         {"heads", c.heads},
                         {"key_value_heads", c.keyValueHeads},
                         {"head_dim", c.headDim},
                         {"vocabulary", c.vocabularySize},
                         {"context", c.contextLength},
                         {"tied", c.tiedEmbeddings},
                         {"parameters", info.parameters},
                         {"bytes", info.totalBytes},
                         {"source_type", source.types()},
                         {"source_bytes", source.bytes()},
                         {"dense_bytes", 2 * info.layerParameters},
                         {"multiplications", orNull(multiplications)},
                         {"dense_multiplications", info.layerParameters},
                         {"measured_cr", numberOrNull(ratio)},
                         {"global_cr", numberOrNull(run.empty() ? unknownNumber : ratioOfAll)},
                         {"layers", layersJson(info, work)}});
    return kOk;
}

}  // namespace

void addInspect(Command app, Session& session) {
    const Command command =
        app.addCommand("inspect", "Show a model's architecture, sizes and linear layers");
    auto word = std::make_shared<std::string>();
    auto all = std::make_shared<bool>(false);
    command.addOption("MODEL", *word, "Path, run, or the word default").required();
    command.addFlag("--layers", *all, "List the layers of every block");
    finishCommand(command, session,
                  [&session, word, all] { return inspect(session, *word, *all); });
}

}  // namespace cospadi::cli
