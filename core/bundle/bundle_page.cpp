#include "core/bundle/bundle_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "core/base/markdown_cell.h"
#include "core/base/shell_word.h"
#include "core/report/report.h"
#include "core/report/report_table.h"
#include "core/run/derived_step.h"
#include "core/store/compress_command.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

std::string fileName(const std::string& path) { return fs::path(path).filename().string(); }

// How a run was made of another one, where that one is there.
std::string stepOf(const RunSpecification& derived, const std::vector<RunRow>& runs) {
    const std::string& from = derived.derived->from;
    const auto source =
        std::find_if(runs.begin(), runs.end(), [&](const RunRow& run) { return run.id == from; });
    const auto before = source == runs.end() ? std::nullopt : specificationOf(*source);
    return before
               ? "`cospadi " + shellLine(commandOf(stepBetween(*before, derived), from)) + "`"
               : fmt::format("derived from {}, which is not included, without solving again", from);
}

// The command that makes the run elsewhere, or why none does.
std::string makingOf(const RunRow& run, const std::vector<RunRow>& runs) {
    const auto specification = specificationOf(run);
    if (!specification) {
        return "by another program";
    }
    if (specification->derived) {
        return stepOf(*specification, runs);
    }
    if (isDense(*specification)) {
        return "the uncompressed model";
    }
    return "`" + commandElsewhere(*specification) + "`" +
           (specification->ratios.empty() ? "" : ", with the run's own run.json from runs.tar");
}

// Names of files with their hashes: models, texts of calibrations and perplexities.
std::string filesPart(const std::vector<RunRow>& runs) {
    std::map<std::string, std::string> models;
    std::map<std::string, std::string> texts;
    for (const RunRow& run : runs) {
        models.emplace(run.modelSha256, fileName(run.model));
        if (const auto s = specificationOf(run); s && isCalibrated(*s)) {
            texts.emplace(s->calibration.textSha256, fileName(s->calibration.text));
        }
        for (const EvaluationRow& evaluation : run.evaluations) {
            texts.emplace(evaluation.textSha256, fileName(evaluation.text));
        }
    }
    std::string text = "| | sha256 |\n|---|---|\n";
    for (const auto& [what, files] : {std::pair("model", models), std::pair("text", texts)}) {
        for (const auto& [hash, name] : files) {
            text += fmt::format("| {} {} | {} |\n", what, name, hash.empty() ? "unknown" : hash);
        }
    }
    return text;
}

std::string picturesPart(const std::vector<std::string>& pictures) {
    std::string text;
    for (const std::string& name : pictures) {
        text += name.ends_with(".svg") ? fmt::format("![{0}]({0})\n\n", name) : "";
    }
    return text + "Its points are in `figure.csv`.\n";
}

// Every field of the runs' environments, with the values that they have.
std::string environmentPart(const std::vector<RunRow>& runs, const RunStore& store) {
    std::map<std::string, std::set<std::string>> values;
    for (const RunRow& run : runs) {
        for (const auto& [name, value] : store.environment(run.id)) {
            values[name].insert(value);
        }
    }
    std::string text = "| | |\n|---|---|\n";
    for (const auto& [name, all] : values) {
        text += fmt::format("| {} | {} |\n", name, fmt::join(all, "; "));
    }
    return text;
}

}  // namespace

std::string bundlePage(const BundleContent& content, const std::vector<std::string>& pictures,
                       const RunStore& store) {
    std::string page =
        fmt::format("# {}\n\nMade by CoSpaDi Workbench with `{}`.\n\n{}\n",
                    !content.table.caption.empty() ? content.table.caption
                    : content.isFigure()           ? "A figure and its runs"
                                                   : "A table and its runs",
                    "cospadi " + shellLine(content.command),
                    content.isFigure() ? picturesPart(pictures)
                                       : render(content.table, ReportFormat::Markdown));
    page +=
        "## Reproducing this elsewhere\n\n"
        "`cospadi reproduce FOLDER [MODEL]` makes these runs again, or uses existing ones, "
        "measures them on the same texts and tasks, and reports which numbers agree and how far "
        "the others differ; `--dry-run` shows beforehand what that costs. MODEL is the path of the "
        "model if it has moved; the model and texts are identified by their hashes.\n\n"
        "Bytes agree except for file headers, which record how long the matrix took; errors and "
        "perplexities agree up to the rounding of another processor's products, after which a "
        "solver may take another path.\n\n";
    page += "## Runs\n\n| run | method | layers | seed | made by |\n|---|---|---|---:|---|\n";
    for (const RunRow& run : content.runs) {
        page += fmt::format("| {} | {} | `{}` | {} | {} |\n", run.id,
                            markdownCell(methodLabel(run)), markdownCell(layersLabel(run)),
                            run.seed, markdownCell(makingOf(run, content.runs)));
    }
    page += "\n## Models and texts\n\n" + filesPart(content.runs);
    page += "\n## Hardware and versions\n\n" + environmentPart(content.runs, store);
    page +=
        "\n## Files\n\n" +
        std::string(content.isFigure() ? "- `figure.csv`, `figure.md`: the points of the figure\n"
                                       : "- `table.tex`, `table.csv`, `table.md`: the table\n") +
        "- `results.csv`: every number of every run, with what it was measured on\n"
        "- `runs.tar`: specifications, events and results of the runs, without their matrices; "
        "`cospadi runs import runs.tar` adds them to your own\n"
        "- `bundle.json`: the command, the program's version, and the sha256 of these files\n";
    return page;
}

}  // namespace cospadi
