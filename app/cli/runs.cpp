#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/run_filter.h"
#include "app/cli/session.h"
#include "app/cli/task_output.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/run/run_archive.h"
#include "core/store/locations.h"
#include "core/store/run_directory.h"
#include "core/store/run_id.h"
#include "core/store/run_lock.h"
#include "core/store/run_store.h"
#include "core/store/source_bytes.h"

namespace cospadi::cli {

namespace {

nlohmann::json json(const RunRow& run) {
    nlohmann::json evaluations = nlohmann::json::array();
    for (const EvaluationRow& e : run.evaluations) {
        evaluations.push_back({{"kind", e.kind},
                               {"text", e.text},
                               {"context", e.context},
                               {"max_tokens", e.maxTokens},
                               {"score", e.score},
                               {"perplexity", numberOrNull(e.perplexity)}});
    }
    nlohmann::json tasks = nlohmann::json::array();
    for (const TaskResultRow& t : run.taskResults) {
        tasks.push_back(taskResultJson(t));
    }
    const std::optional<RunSpecification> specification = specificationOf(run);
    const RunSpecification used = specification ? effective(*specification) : RunSpecification();
    // Of a setting that does not count, and of one that the solver chooses by the matrix: null.
    const auto orNull = [&](int value) {
        return specification && value > 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
    };
    return {{"id", run.id},
            {"label", methodLabel(run)},
            {"directory", run.directory},
            {"created", run.created},
            {"status", run.status},
            {"model", run.model},
            {"method", run.method},
            {"solver", run.solver},
            {"layers", run.layers},
            {"cr", numberOrNull(run.cr)},
            {"measured_cr", numberOrNull(run.measuredRatio())},
            {"rho", isSparse(run) ? numberOrNull(run.rho) : nlohmann::json(nullptr)},
            {"matrices", run.matrices},
            {"bytes", run.layerBytes},
            {"dense_bytes", run.denseBytes},
            {"relative_error", numberOrNull(run.relativeError)},
            {"whitened", isCalibrated(run)},
            {"source_type", run.sourceType},
            {"source_bytes", run.sourceBytes},
            {"seconds", numberOrNull(run.seconds)},
            {"core_seconds", numberOrNull(run.coreSeconds)},
            {"seed", run.seed},
            {"iterations", orNull(used.iterations)},
            {"coefficient_bits", orNull(used.coefficientBits)},
            {"starred", run.starred},
            {"archived", run.archived},
            {"tags", run.tags},
            {"note", run.note},
            {"evaluations", evaluations},
            {"task_results", tasks}};
}

int list(const Session& session, const RunSelection& selection) {
    std::vector<std::string> notes;
    const RunStore store = RunStore::openForReading(storePath(), &notes);
    tell(notes);
    const std::vector<RunRow> runs = selectedRuns(store, selection);
    nlohmann::json rows = nlohmann::json::array();
    for (const RunRow& run : runs) {
        rows.push_back(json(run));
    }
    std::string text = render(tableOfRuns(runs), ReportFormat::Terminal);
    if (runs.empty()) {
        RunFilter any;
        any.includeArchived = true;
        any.limit = 1;
        text = store.list(any).empty() ? "No runs yet: cospadi compress default --layers ffn_up\n"
                                       : "No run fits the filters (archived ones: --archived)\n";
    }
    session.print(text, {{"runs", rows}});
    return kOk;
}

int group(const Session& session, const std::vector<std::string>& fields,
          const RunSelection& selection) {
    const RunStore store = RunStore::openForReading(storePath());
    RunFilter chosen;
    chosen.includeArchived = true;  // what is archived, the selection says
    chosen.ids.emplace();
    for (const RunRow& run : selectedRuns(store, selection)) {
        chosen.ids->push_back(run.id);
    }
    ReportTable table;
    for (const std::string& field : fields) {
        table.columns.push_back({field});
    }
    table.columns.insert(table.columns.end(), {{"runs", ColumnKind::Number},
                                               {"mean error", ColumnKind::Number, 4},
                                               {"best error", ColumnKind::Number, 4},
                                               {"bytes in all", ColumnKind::Bytes},
                                               {"seconds in all", ColumnKind::Number, 1}});
    nlohmann::json rows = nlohmann::json::array();
    for (const RunGroup& g : store.group(fields, chosen)) {
        ReportRow row;
        nlohmann::json object;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            row.cells.push_back(g.values[i]);
            object[fields[i]] = g.values[i];
        }
        row.cells.insert(row.cells.end(), {g.runs, g.meanError, g.bestError, g.bytes, g.seconds});
        table.rows.push_back(std::move(row));
        object["runs"] = g.runs;
        object["mean_relative_error"] = numberOrNull(g.meanError);
        object["best_relative_error"] = numberOrNull(g.bestError);
        object["total_bytes"] = g.bytes;
        object["total_seconds"] = g.seconds;
        rows.push_back(object);
    }
    session.print(render(table, ReportFormat::Terminal), {{"groups", rows}});
    return kOk;
}

// The fields of a specification, one a line; hashes stand in --json and in run.json.
std::string settingsText(const nlohmann::json& settings, const std::string& prefix = "") {
    std::string text;
    for (const auto& [field, value] : settings.items()) {
        if (value.is_object()) {
            text += settingsText(value, prefix + field + ".");
        } else if (!field.ends_with("sha256") && value != "") {
            text += fmt::format("  {:<22} {}\n", prefix + field,
                                value.is_string() ? value.get<std::string>() : value.dump());
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

// With the columns that the run's method has.
ReportTable tableOf(const std::vector<MatrixRow>& matrices) {
    const auto any = [&](std::int64_t MatrixRow::*field) {
        return std::any_of(matrices.begin(), matrices.end(),
                           [field](const MatrixRow& m) { return m.*field != 0; });
    };
    ReportTable table;
    table.columns = {{"matrix"}};
    std::vector<std::int64_t MatrixRow::*> counts;
    const auto count = [&](const char* name, std::int64_t MatrixRow::*field) {
        if (any(field)) {
            table.columns.push_back({name, ColumnKind::Number, 0});
            counts.push_back(field);
        }
    };
    count("k", &MatrixRow::k);
    count("s", &MatrixRow::s);
    count("rank", &MatrixRow::rank);
    count("iterations", &MatrixRow::iterations);
    table.columns.insert(table.columns.end(), {{"bytes", ColumnKind::Bytes},
                                               {"error", ColumnKind::Number, 4},
                                               {"seconds", ColumnKind::Number, 2}});
    for (const MatrixRow& m : matrices) {
        ReportRow row;
        row.cells = {m.name};
        for (const auto field : counts) {
            row.cells.emplace_back(m.*field);
        }
        row.cells.insert(row.cells.end(), {m.bytes, m.relativeError, m.seconds});
        table.rows.push_back(std::move(row));
    }
    return table;
}

int show(const Session& session, const std::string& word) {
    const RunStore store = RunStore::openForReading(storePath());
    const RunRow run = store.find(word);
    const std::string& id = run.id;
    const std::vector<MatrixRow> rows = store.matrices(id);
    std::string text = fmt::format("{}  {}\n{}\n\n{}\n", run.id, run.status,
                                   run.directory.empty() ? "its files are gone" : run.directory,
                                   settingsText(usedSettings(run, rows)));
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
        if (std::isfinite(run.seconds) && std::isfinite(run.coreSeconds)) {
            text += fmt::format("{} by the clock, {} of cores\n", humanSeconds(run.seconds),
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
    text += rows.empty() ? "" : render(tableOf(rows), ReportFormat::Terminal);
    nlohmann::json matrices = nlohmann::json::array();
    for (const MatrixRow& m : rows) {
        matrices.push_back({{"name", m.name},
                            {"kind", m.kind},
                            {"block", m.block},
                            {"d1", m.d1},
                            {"d2", m.d2},
                            {"k", m.k},
                            {"s", m.s},
                            {"rank", m.rank},
                            {"bytes", m.bytes},
                            {"source_type", m.sourceType},
                            {"source_bytes", m.sourceBytes},
                            {"dense_bytes", m.denseBytes},
                            {"relative_error", numberOrNull(m.relativeError)},
                            {"gram_shift", numberOrNull(m.gramShift)},
                            {"replaced_atoms", m.replacedAtoms},
                            {"iterations", m.iterations},
                            {"seconds", numberOrNull(m.seconds)},
                            {"core_seconds", numberOrNull(m.coreSeconds)}});
    }
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
    nlohmann::json iterations = nlohmann::json::array();
    for (const MatrixIterations& m : store.iterations(id).matrices) {
        nlohmann::json errors = nlohmann::json::array();
        for (const float error : m.relativeError) {
            errors.push_back(numberOrNull(double{error}));
        }
        iterations.push_back({{"matrix", m.matrix}, {"relative_error", errors}});
    }
    if (!run.taskResults.empty()) {
        TaskEvaluation tasks;
        tasks.results = run.taskResults;
        text += "\n" + taskEvaluationTable(tasks);
    }
    for (const EvaluationRow& e : run.evaluations) {
        if (e.kind != "perplexity") {
            continue;
        }
        text += fmt::format("perplexity {:.4f}  {} context {} score {}\n", e.perplexity, e.text,
                            e.context, e.score);
    }
    nlohmann::json object = json(run);
    object["message"] = run.message;
    const auto specification = nlohmann::json::parse(run.specification, nullptr, false);
    object["specification"] = specification.is_discarded() ? nlohmann::json() : specification;
    object["environment"] = store.environment(id);
    object["notes"] = nlohmann::json::array();
    for (const NoteRow& note : store.notes(id)) {
        object["notes"].push_back({{"created", note.created}, {"text", note.text}});
    }
    object["matrices_list"] = matrices;
    object["artefacts"] = artefacts;
    object["iterations_list"] = iterations;
    session.print(text, object);
    return kOk;
}

void tellPassedOver(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) {
        fmt::print(stderr, "passed over: {}\n", printableLine(warning));
    }
}

int importArchive(const Session& session, const std::filesystem::path& archive) {
    RunStore store = RunStore::open(storePath());
    std::filesystem::create_directories(runsDirectory());
    nlohmann::json ids = nlohmann::json::array();
    std::string text;
    std::vector<std::string> notes;
    RunsFromArchive runs = readRunArchive(archive, runsDirectory());
    std::optional<Error> problem;
    for (const RunToArchive& run : runs.taken) {
        try {
            ids.push_back(store.importRun(run.directory, &notes));
            text += fmt::format("{}\n", run.directory.string());
        } catch (const Error& error) {  // what the index does not take stays nowhere
            std::filesystem::remove_all(run.directory);
            runs.refused.emplace_back(error.what());
            problem = error;
        }
    }
    if (ids.empty() && problem) {
        throw Error(*problem);
    }
    tellPassedOver(runs.refused);
    tell(notes);
    session.print(text, {{"imported", ids.size()}, {"runs", ids}, {"warnings", runs.refused}});
    return kOk;
}

int importRuns(const Session& session, const std::string& word) {
    const std::filesystem::path path = word.empty() ? runsDirectory() : std::filesystem::path(word);
    if (std::filesystem::is_regular_file(path)) {
        return importArchive(session, path);
    }
    RunStore store = RunStore::open(storePath());
    ImportSummary summary;
    if (std::filesystem::exists(path / "run.json")) {
        store.importRun(path, &summary.notes);
        summary.imported = 1;
    } else {
        ProgressLine line;
        summary = store.importTree(path, session.progress(line));
    }
    tellPassedOver(summary.warnings);
    if (summary.imported == 0 && !word.empty()) {
        throw Error("no run that can be taken in is here", path.string(),
                    "name a run's directory, a folder of runs, or a .tar of `runs export`");
    }
    tell(summary.notes);
    session.print(fmt::format("{} imported\n", counted(summary.imported, "run")),
                  {{"imported", summary.imported}, {"warnings", summary.warnings}});
    return kOk;
}

int exportRuns(const Session& session, const std::vector<std::string>& ids, std::string out,
               const ArchiveOptions& options) {
    const RunStore store = RunStore::openForReading(storePath());
    std::vector<RunToArchive> runs;
    for (const std::string& id : ids) {
        const RunRow run = store.find(id);
        requireRunId(run.id, store.path().string());  // it names files here
        runs.push_back({run.id, store.directoryOf(run.id), store.annotations(run.id)});
    }
    out = out.empty() ? runs.front().id + ".tar" : out;
    const std::int64_t bytes = writeRunArchive(out, runs, options);
    session.print(fmt::format("{}  {}\nTake it in elsewhere with: cospadi runs import {}\n", out,
                              humanBytes(static_cast<double>(bytes)), out),
                  {{"path", out}, {"bytes", bytes}, {"runs", runs.size()}});
    return kOk;
}

// Files that are deleted do not come back: the whole name must have been given, or a yes.
void requireConfirmed(const RunRow& run, const std::string& word,
                      const std::filesystem::path& directory) {
    std::error_code failed;
    if (word == run.id || std::filesystem::equivalent(word, directory, failed)) {
        return;
    }
    if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) {
        throw Error("is the beginning of an id, and files would be deleted", word,
                    "give the whole id, " + run.id + ", or add --yes");
    }
    fmt::print(stderr, "Delete {} and its files in {}? [y/N] ", run.id,
               printableLine(directory.string()));
    std::string answer;
    std::getline(std::cin, answer);
    if (answer != "y" && answer != "Y" && answer != "yes") {
        throw Error("nothing was deleted", run.id, "answer y to delete it");
    }
}

int removeRun(const Session& session, const std::string& word, bool files, bool yes) {
    RunStore store = RunStore::open(storePath());
    const RunRow run = store.find(word);
    if (files) {
        const std::filesystem::path directory = store.directoryOf(run.id);
        if (!yes) {
            requireConfirmed(run, word, directory);
        }
        // Held until the files are gone: nobody begins to write among them.
        const std::optional<RunLock> lock = RunLock::tryTake(directory);
        if (!lock) {
            throw Error("the run " + run.id + " is being written", directory.string(),
                        "wait until it has finished, or cancel it");
        }
        // Without run.json nothing takes it for a run any more, should the rest be interrupted.
        std::filesystem::remove(directory / "run.json");
        std::filesystem::remove_all(directory);
    }
    store.remove(run.id);
    session.print(fmt::format("{} removed from the index{}\n", run.id,
                              files ? ", its files deleted" : "; its files stay"),
                  {{"removed", run.id}, {"files", files}});
    return kOk;
}

}  // namespace

void addRuns(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand(
        "runs",
        "The stored runs: list, show, diff, tag, note, star, archive, import, export, delete");
    command->require_subcommand(1);
    auto selection = std::make_shared<RunSelection>();
    auto fields = std::make_shared<std::vector<std::string>>();
    auto ids = std::make_shared<std::vector<std::string>>();
    auto id = std::make_shared<std::string>();
    auto text = std::make_shared<std::string>();
    auto flag = std::make_shared<bool>(false);
    auto archiving = std::make_shared<ArchiveOptions>();
    const auto one = [&](const char* name, const char* help) {
        auto* sub = command->add_subcommand(name, help);
        sub->add_option("RUN", *id, "Id, a beginning of it, or the run's directory")->required();
        return sub;
    };
    // A change to one run, told in a word.
    const auto change = [&session, id, flag](const char* done, const char* undone, auto&& act) {
        return [&session, id, flag, done, undone, act] {
            RunStore store = RunStore::open(storePath());
            const std::string run = store.find(*id).id;
            act(store, run);
            const char* word = *flag ? undone : done;
            session.print(fmt::format("{} {}\n", word, run), {{"run", run}, {"done", word}});
            return static_cast<int>(kOk);
        };
    };

    auto* listCommand = command->add_subcommand("list", "Newest first");
    addRunFilters(*listCommand, *selection);
    listCommand
        ->add_option(
            "--group", *fields,
            "Counts, mean error and totals by these fields instead: method, solver, layers, model, "
            "status, accounting, cr, rho, iterations, seed")
        ->delimiter(',')
        ->allow_extra_args(false);
    finishCommand(listCommand, session, [&session, selection, fields] {
        return fields->empty() ? list(session, *selection) : group(session, *fields, *selection);
    });

    finishCommand(one("show", "One run with its matrices"), session,
                  [&session, id] { return show(session, *id); });

    auto* tagCommand = one("tag", "Tag a run");
    tagCommand->add_option("TAG", *text, "The tag")->required();
    tagCommand->add_flag("--remove", *flag, "Take the tag away");
    finishCommand(tagCommand, session,
                  change("tagged", "untagged", [text, flag](RunStore& store, const auto& run) {
                      *flag ? store.untag(run, *text) : store.tag(run, *text);
                  }));

    auto* noteCommand = one("note", "Write a note to a run");
    noteCommand->add_option("TEXT", *text, "The note")->required();
    finishCommand(noteCommand, session,
                  change("noted", "noted",
                         [text](RunStore& store, const auto& run) { store.note(run, *text); }));

    auto* starCommand = one("star", "Star a run");
    starCommand->add_flag("--remove", *flag, "Take the star away");
    finishCommand(starCommand, session,
                  change("starred", "unstarred",
                         [flag](RunStore& store, const auto& run) { store.star(run, !*flag); }));

    auto* archiveCommand = one("archive", "Hide a run from lists and reports");
    archiveCommand->add_flag("--remove", *flag, "Show it again");
    finishCommand(archiveCommand, session,
                  change("archived", "unarchived",
                         [flag](RunStore& store, const auto& run) { store.archive(run, !*flag); }));

    addRunsDiff(*command, session);

    auto* importCommand =
        command->add_subcommand("import", "Take runs in: directories, or an exported file");
    importCommand->add_option(
        "FROM", *text, "A run, a folder of runs, or a .tar of `runs export` [the runs directory]");
    finishCommand(importCommand, session, [&session, text] { return importRuns(session, *text); });

    auto* exportCommand = command->add_subcommand(
        "export", "Runs as one .tar, with tags and notes, for another machine");
    exportCommand->add_option("RUN", *ids, "Ids, beginnings of them, or directories")->required();
    exportCommand->add_option("--out", *text, "The file [ID.tar]");
    exportCommand->add_flag_callback(
        "--no-matrices", [archiving] { archiving->matrices = false; },
        "Only the records: enough for reports, not for evaluating again");
    exportCommand->add_flag("--model", archiving->model, "The self-contained model folder too");
    finishCommand(exportCommand, session, [&session, ids, text, archiving] {
        return exportRuns(session, *ids, *text, *archiving);
    });

    auto* deleteCommand = one("delete", "Take a run out of the index");
    deleteCommand->add_flag("--files", *flag, "Delete its directory too");
    auto yes = std::make_shared<bool>(false);
    deleteCommand->add_flag("--yes", *yes,
                            "With --files: do not ask where only the beginning of an id is given");
    finishCommand(deleteCommand, session,
                  [&session, id, flag, yes] { return removeRun(session, *id, *flag, *yes); });
}

}  // namespace cospadi::cli
