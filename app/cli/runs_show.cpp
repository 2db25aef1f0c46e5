// `cospadi runs show`: one run with its settings, matrices, files and results.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "app/cli/matrix_table.h"
#include "app/cli/result_json.h"
#include "app/cli/run_json.h"
#include "app/cli/runs.h"
#include "app/cli/task_output.h"
#include "core/base/json_text.h"
#include "core/report/average_accuracy.h"
#include "core/report/global_ratio.h"
#include "core/report/report.h"
#include "core/report/run_metrics.h"
#include "core/store/locations.h"
#include "core/store/matrix_totals.h"
#include "core/store/run_settings.h"
#include "core/store/run_store.h"
#include "core/store/source_bytes.h"

namespace cospadi::cli {

namespace {

// The fields of a specification, one a line; hashes stand in --json and in run.json.
std::string settingsText(const nlohmann::json& settings, const std::string& prefix = "") {
    std::string text;
    for (const auto& [field, value] : settings.items()) {
        if (value.is_object()) {
            text += settingsText(value, prefix + field + ".");
        } else if (!field.ends_with("sha256") && value != "") {
            text += fmt::format("  {:<22} {}\n", prefix + field, plainText(value));
        }
    }
    return text;
}

// The settings that counted, as they took effect; files by their paths, and the iterations that the
// matrices took where the solver chose them.
nlohmann::json usedSettings(const RunRow& run, const std::vector<MatrixRow>& matrices) {
    const std::optional<RunSpecification> specification = specificationOf(run);
    if (!specification) {
        return nlohmann::json::parse(run.specification, nullptr, false);
    }
    nlohmann::json settings = nlohmann::json::object();
    for (const auto& [field, value] : settingsOf(run)) {
        settings[field] = value;
    }
    settings["model"] = run.model;
    if (settings.contains("calibration.text")) {
        settings["calibration.text"] = specification->calibration.text;
    }
    if (settings.value("iterations", "") == "usual" && !matrices.empty()) {
        std::set<std::int64_t> taken;
        for (const MatrixRow& matrix : matrices) {
            taken.insert(matrix.iterations);
        }
        settings["iterations"] = fmt::format("{}", fmt::join(taken, ", "));
    }
    return settings;
}

// What the result takes on disk, in bfloat16 and in the model's own file, and what it took to make.
std::string bytesText(const RunRow& run) {
    std::string text;
    if (run.layerBytes > 0) {
        const auto bytes = [](std::int64_t count) {
            return humanBytes(static_cast<double>(count));
        };
        text +=
            fmt::format("{} on disk, {} as bf16{}\n", bytes(run.layerBytes), bytes(run.denseBytes),
                        run.sourceBytes == 0 || run.status != "finished"
                            ? ""
                            : fmt::format(", {} in the model's file ({})", bytes(run.sourceBytes),
                                          run.sourceType));
        if (const GlobalRatio global = globalRatioOf(run); global.isPartial) {
            text += fmt::format(
                "CR {:.4f} of these layers, {:.4f} of all linear layers ({} as bf16): the others "
                "are unchanged\n",
                run.measuredRatio(), global.ratio, bytes(global.allBytes));
        }
        if (std::isfinite(run.seconds) && std::isfinite(run.coreSeconds)) {
            text += fmt::format("{} wall time, {} core time\n", humanSeconds(run.seconds),
                                humanSeconds(run.coreSeconds));
        }
        const std::string larger =
            largerThanSource(run.layerBytes, run.sourceType, run.sourceBytes);
        text += larger.empty() ? "" : "warning: " + larger + "\n";
    }
    if (run.sourceBytes > 0 && run.status != "finished") {
        text += fmt::format("source: {} in the model's file ({})\n",
                            humanBytes(static_cast<double>(run.sourceBytes)), run.sourceType);
    }
    text += run.layerBytes > 0 || run.sourceBytes > 0 ? "\n" : "";
    return text;
}

// What the solver's phases took, and what the result takes a token.
std::string workText(const std::vector<MatrixRow>& matrices) {
    std::string text;
    if (const std::optional<PhaseTotals> phases = phaseTotals(matrices)) {
        const auto part = [&](double seconds) {
            return fmt::format("{} ({:.0f} %)", humanSeconds(seconds),
                               100 * seconds / phases->total);
        };
        text += fmt::format("sparse coding {}, dictionary update {}, rest {}\n",
                            part(phases->coding), part(phases->dictionary), part(phases->rest));
    }
    if (const double count = totalMultiplications(matrices); count > 0) {
        const double dense = denseMultiplications(matrices);
        text += fmt::format("{:.3f} M multiplications a token, {:.3f} of {:.3f} M dense ones\n",
                            count / 1e6, count / dense, dense / 1e6);
    }
    return text.empty() ? "" : text + "\n";
}

nlohmann::json iterationsJson(const IterationSeries& series) {
    nlohmann::json iterations = nlohmann::json::array();
    const auto numbers = [](const std::vector<float>& errors) {
        nlohmann::json list = nlohmann::json::array();
        for (const float error : errors) {
            list.push_back(numberOrNull(double{error}));
        }
        return list;
    };
    for (const MatrixIterations& m : series.matrices) {
        nlohmann::json matrix{{"matrix", m.matrix}, {"relative_error", numbers(m.relativeError)}};
        if (!m.heldOutError.empty()) {
            matrix["held_out_error"] = numbers(m.heldOutError);
        }
        iterations.push_back(std::move(matrix));
    }
    return iterations;
}

// What it came to and why, where it lies, and what its owner says of it.
std::string headText(const RunRow& run, const std::vector<NoteRow>& notes) {
    std::string text = fmt::format(
        "{}  {}{}{}\n{}\n", run.id, run.status, run.message.empty() ? "" : ": ", run.message,
        run.directory.empty() ? "its files no longer exist" : run.directory);
    text += run.tags.empty() ? "" : fmt::format("tags: {}\n", fmt::join(run.tags, ", "));
    for (const NoteRow& note : notes) {
        text += fmt::format("note of {}: {}\n", note.created, note.text);
    }
    return text;
}

std::string averageText(const RunRow& run) {
    const Measure measure = commonMeasure({run}, kAverageAccuracy);
    const double mean = averageOf(run, measure.tasks);
    return std::isfinite(mean)
               ? fmt::format("{} {:.4f} (stderr {:.4f}), {}\n", kAverageAccuracy, mean,
                             averageErrorOf(run, measure.tasks), inEnglish(measure.label))
               : fmt::format("no {}: {} missing\n", kAverageAccuracy,
                             fmt::join(missingTasks(run, measure.tasks), ", "));
}

std::string resultsText(const RunRow& run) {
    std::string text;
    if (!run.taskResults.empty()) {
        TaskEvaluation tasks;
        tasks.results = run.taskResults;
        text += "\n" + taskEvaluationTable(tasks) + averageText(run);
    }
    for (const EvaluationRow& e : run.evaluations) {
        if (isPerplexity(e)) {
            text += fmt::format("perplexity {:.4f}  {}\n", e.perplexity,
                                inEnglish(perplexityMeasure(e).label));
        }
    }
    return text;
}

int show(const Session& session, const std::string& word) {
    const RunStore store = RunStore::openForReading(storePath());
    const RunRow run = store.find(word);
    const std::string& id = run.id;
    const std::vector<MatrixRow> rows = store.matrices(id);
    const std::vector<NoteRow> notes = store.notes(id);
    std::string text = headText(run, notes) + "\n" + settingsText(usedSettings(run, rows)) + "\n";
    text += bytesText(run);
    text += workText(rows);
    const std::string stored = commonFactsText(rows);
    text += stored.empty() ? "" : "stored: " + stored + "\n";
    text += rows.empty() ? "" : render(tableOfMatrices(rows), ReportFormat::Terminal);
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> kinds;  // files and bytes
    nlohmann::json artefacts = nlohmann::json::array();
    for (const ArtefactRow& a : store.artefacts(id)) {
        kinds[a.kind].first += 1;
        kinds[a.kind].second += a.bytes;
        artefacts.push_back({{"path", a.path}, {"kind", a.kind}, {"bytes", a.bytes}});
    }
    text += kinds.empty() ? "" : "\n";
    for (const auto& [kind, sum] : kinds) {
        text += fmt::format("{:<22} {:>12} {:>10}\n", kind, counted(sum.first, "file"),
                            humanBytes(static_cast<double>(sum.second)));
    }
    text += resultsText(run);
    nlohmann::json object = runJson(run);
    object["message"] = run.message;
    const auto specification = nlohmann::json::parse(run.specification, nullptr, false);
    object["specification"] = specification.is_discarded() ? nlohmann::json() : specification;
    object["environment"] = store.environment(id);
    object["notes"] = nlohmann::json::array();
    for (const NoteRow& note : notes) {
        object["notes"].push_back({{"created", note.created}, {"text", note.text}});
    }
    object["matrices_list"] = matricesJson(rows);
    object["artefacts"] = artefacts;
    object["iterations_list"] = iterationsJson(store.iterations(id));
    session.print(text, object);
    return kOk;
}

}  // namespace

void addRunsShow(Command runs, Session& session) {
    const RunVerb verb = addRunVerb(runs, "show", "Show a run with its matrices");
    finishCommand(verb.command, session,
                  [&session, word = verb.run] { return show(session, *word); });
}

}  // namespace cospadi::cli
