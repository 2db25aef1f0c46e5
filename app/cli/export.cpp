#include "core/exports/export_model.h"

#include <fmt/format.h>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/exports/gguf_types.h"

namespace cospadi::cli {

namespace {

struct ExportOptions {
    ExportRequest request;
    std::string format;
    std::string dtype;     // empty: as usual for the format
    std::string quantize;  // empty: not
    std::string out;
};

// What --dtype or --quantize say; the word that stands for it in the summary.
std::string setTypes(ExportOptions& options) {
    ExportRequest& request = options.request;
    request.format = exportFormatFromName(options.format);
    if (!options.quantize.empty()) {
        if (!options.dtype.empty() || request.format != ExportFormat::Gguf) {
            throw Error("applies to --format gguf, and replaces --dtype", "--quantize",
                        "omit one of the two");
        }
        const GgufTypes types = ggufTypesFromName(options.quantize);
        request.dtype = types.layers;
        request.mixture = types.mixture;
        return options.quantize;
    }
    if (!options.dtype.empty()) {
        request.dtype = exportDtypeFromName(options.dtype);
        return options.dtype;
    }
    return request.format == ExportFormat::HuggingFaceFactors ? "stored" : "bf16";
}

void addFallbacks(const std::vector<TypeFallback>& fallbacks, std::string& text,
                  nlohmann::json& object) {
    for (const TypeFallback& fallback : fallbacks) {
        const std::string wanted(dtypeName(fallback.wanted));
        const std::string written(dtypeName(fallback.written));
        text += fmt::format(
            "{} of them fell back from {} to {}: rows of {} are not a multiple of {}\n",
            fallback.tensors, wanted, written, fallback.columns, blockElements(fallback.wanted));
        object["fallbacks"].push_back({{"wanted", wanted},
                                       {"written", written},
                                       {"columns", fallback.columns},
                                       {"tensors", fallback.tensors}});
    }
}

int exportTo(const Session& session, ExportOptions options) {
    std::string dtype;
    asUsage([&] { dtype = setTypes(options); });
    options.request.out = options.out;
    ProgressLine line;
    const auto summary =
        exportModel(options.request, session.progress(line), session.signals.token());
    line.clear();
    if (!summary) {
        fmt::print(stderr, "cancelled; nothing was written\n");
        return kCancelled;
    }
    const auto bytes = static_cast<double>(summary->bytes);
    std::string text =
        fmt::format("{}\n{} tensors as {}, {} on disk, {}\n", summary->path.string(),
                    summary->tensors, dtype, humanBytes(bytes), humanSeconds(summary->seconds));
    nlohmann::json object{{"path", summary->path.string()},
                          {"format", options.format},
                          {"dtype", dtype},
                          {"tensors", summary->tensors},
                          {"bytes", summary->bytes},
                          {"seconds", summary->seconds}};
    if (summary->factoredLayers > 0) {
        const auto factors = static_cast<double>(summary->factorBytes);
        text +=
            fmt::format("{} compressed layers take {} of this, embeddings and everything else {}\n",
                        summary->factoredLayers, humanBytes(factors), humanBytes(bytes - factors));
        object["factored_layers"] = summary->factoredLayers;
        object["factor_bytes"] = summary->factorBytes;
    }
    addFallbacks(summary->fallbacks, text, object);
    session.print(text, object);
    return kOk;
}

}  // namespace

void addExport(Command app, Session& session) {
    const Command command = app.addCommand(
        "export", "Export a model for other programs: its factors as stored, or multiplied out");
    auto options = std::make_shared<ExportOptions>();
    command.addOption("MODEL", options->request.model, "Run, path, or the word default").required();
    command
        .addOption(
            "--format", options->format,
            "hf: a dense folder for Hugging Face's loaders; hf-factors: a folder with the factors "
            "and the code with which transformers loads them; gguf: a dense file for llama.cpp")
        .required();
    command.addOption("--out", options->out, "The new folder or file").required();
    command.addOption("--dtype", options->dtype,
                      "Type of the dense weights: bf16 (default), f16 or f32; with hf-factors they "
                      "keep theirs unless this is given");
    command.addOption("--quantize", options->quantize,
                      "Quantisation of a gguf file, instead of --dtype: Q8_0, Q6_K, Q5_K, Q5_1, "
                      "Q5_0, Q4_K, Q4_1 or Q4_0, or one of llama.cpp's mixtures Q5_K_M and Q4_K_M");
    finishCommand(command, session, [&session, options] { return exportTo(session, *options); });
}

}  // namespace cospadi::cli
