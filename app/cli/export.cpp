#include "core/exports/export_model.h"

#include <fmt/format.h>

#include "app/cli/session.h"

namespace cospadi::cli {

namespace {

struct ExportOptions {
    ExportRequest request;
    std::string format;
    std::string dtype = "bf16";
    std::string out;
};

int exportTo(const Session& session, ExportOptions options) {
    asUsage([&] {
        options.request.format = exportFormatFromName(options.format);
        options.request.dtype = exportDtypeFromName(options.dtype);
    });
    options.request.out = options.out;
    ProgressLine line;
    const auto summary =
        exportModel(options.request, session.progress(line), session.signals.token());
    line.clear();
    if (!summary) {
        fmt::print(stderr, "cancelled; nothing was written\n");
        return kCancelled;
    }
    session.print(fmt::format("{}\n{} tensors as {}, {} on disk, {}\n", summary->path.string(),
                              summary->tensors, options.dtype,
                              humanBytes(static_cast<double>(summary->bytes)),
                              humanSeconds(summary->seconds)),
                  {{"path", summary->path.string()},
                   {"format", options.format},
                   {"dtype", options.dtype},
                   {"tensors", summary->tensors},
                   {"bytes", summary->bytes},
                   {"seconds", summary->seconds}});
    return kOk;
}

}  // namespace

void addExport(Command app, Session& session) {
    const Command command = app.addCommand(
        "export", "A dense checkpoint for other programs: compressed weights multiplied out");
    auto options = std::make_shared<ExportOptions>();
    command.addOption("MODEL", options->request.model, "Run, path, or the word default").required();
    command
        .addOption("--format", options->format,
                   "hf: a folder that Hugging Face's loaders take; gguf: a file for llama.cpp")
        .required();
    command.addOption("--out", options->out, "The new folder or file").required();
    command.addOption("--dtype", options->dtype, "Type of the weights: bf16, f16 or f32")
        .showDefault();
    finishCommand(command, session, [&session, options] { return exportTo(session, *options); });
}

}  // namespace cospadi::cli
