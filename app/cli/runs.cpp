#include <fmt/format.h>

#include <cmath>

#include "app/cli/session.h"
#include "core/report/report.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

nlohmann::json numberOrNull(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

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
    return {{"id", run.id},
            {"directory", run.directory},
            {"created", run.created},
            {"status", run.status},
            {"model", run.model},
            {"method", run.method},
            {"solver", run.solver},
            {"layers", run.layers},
            {"cr", numberOrNull(run.cr)},
            {"rho", numberOrNull(run.rho)},
            {"matrices", run.matrices},
            {"bytes", run.layerBytes},
            {"dense_bytes", run.denseBytes},
            {"relative_error", numberOrNull(run.relativeError)},
            {"seconds", numberOrNull(run.seconds)},
            {"tags", run.tags},
            {"note", run.note},
            {"evaluations", evaluations}};
}

int list(const Session& session, const RunFilter& filter) {
    const std::vector<RunRow> runs = RunStore::open(storePath()).list(filter);
    nlohmann::json rows = nlohmann::json::array();
    for (const RunRow& run : runs) {
        rows.push_back(json(run));
    }
    session.print(runs.empty() ? "No runs yet: cospadi compress default --layers ffn_up\n"
                               : render(tableOfRuns(runs), ReportFormat::Terminal),
                  {{"runs", rows}});
    return kOk;
}

int show(const Session& session, const std::string& id) {
    const RunStore store = RunStore::open(storePath());
    const RunRow run = store.find(id);
    std::string text = fmt::format(
        "{}  {}\n{}\n{}\n\n{:<22} {:>6} {:>6} {:>6} {:>10} {:>8} {:>9}\n", run.id, run.status,
        run.directory, run.specification, "matrix", "k", "s", "rank", "bytes", "error", "seconds");
    nlohmann::json matrices = nlohmann::json::array();
    for (const MatrixRow& m : store.matrices(id)) {
        text += fmt::format("{:<22} {:>6} {:>6} {:>6} {:>10} {:>8.4f} {:>9.2f}\n", m.name, m.k, m.s,
                            m.rank, m.bytes, m.relativeError, m.seconds);
        matrices.push_back({{"name", m.name},
                            {"k", m.k},
                            {"s", m.s},
                            {"rank", m.rank},
                            {"bytes", m.bytes},
                            {"relative_error", numberOrNull(m.relativeError)},
                            {"seconds", numberOrNull(m.seconds)}});
    }
    for (const EvaluationRow& e : run.evaluations) {
        text += fmt::format("perplexity {:.4f}  {} context {} score {}\n", e.perplexity, e.text,
                            e.context, e.score);
    }
    nlohmann::json object = json(run);
    object["matrices_list"] = matrices;
    session.print(text, object);
    return kOk;
}

int importRuns(const Session& session, const std::string& directory) {
    RunStore store = RunStore::open(storePath());
    const std::filesystem::path path =
        directory.empty() ? runsDirectory() : std::filesystem::path(directory);
    ImportSummary summary;
    if (std::filesystem::exists(path / "run.json")) {
        store.importRun(path);
        summary.imported = 1;
    } else {
        ProgressLine line;
        summary = store.importTree(path, session.progress(line));
    }
    for (const std::string& warning : summary.warnings) {
        fmt::print(stderr, "passed over: {}\n", warning);
    }
    session.print(fmt::format("{} runs imported\n", summary.imported),
                  {{"imported", summary.imported}, {"warnings", summary.warnings}});
    return kOk;
}

int removeRun(const Session& session, const std::string& id, bool files) {
    RunStore store = RunStore::open(storePath());
    const RunRow run = store.find(id);
    if (files) {
        std::filesystem::remove_all(run.directory);
    }
    store.remove(run.id);
    session.print(fmt::format("{} removed from the index{}\n", run.id,
                              files ? ", its files deleted" : "; its files stay"),
                  {{"removed", run.id}, {"files", files}});
    return kOk;
}

}  // namespace

void addRuns(CLI::App& app, Session& session) {
    auto* command =
        app.add_subcommand("runs", "The stored runs: list, show, tag, note, import, delete");
    command->require_subcommand(1);
    auto filter = std::make_shared<RunFilter>();
    auto id = std::make_shared<std::string>();
    auto text = std::make_shared<std::string>();
    auto files = std::make_shared<bool>(false);

    auto* listCommand = command->add_subcommand("list", "Newest first");
    listCommand->add_option("--method", filter->method, "Only this method");
    listCommand->add_option("--tag", filter->tag, "Only with this tag");
    listCommand->add_option("--search", filter->text,
                            "Only where this occurs in id, model, layers, tags or note");
    finishCommand(listCommand, session, [&session, filter] { return list(session, *filter); });

    auto* showCommand = command->add_subcommand("show", "One run with its matrices");
    showCommand->add_option("RUN", *id, "Id, or a beginning of it")->required();
    finishCommand(showCommand, session, [&session, id] { return show(session, *id); });

    auto* tagCommand = command->add_subcommand("tag", "Tag a run");
    tagCommand->add_option("RUN", *id, "Id, or a beginning of it")->required();
    tagCommand->add_option("TAG", *text, "The tag")->required();
    finishCommand(tagCommand, session, [&session, id, text] {
        RunStore::open(storePath()).tag(*id, *text);
        session.print(fmt::format("tagged {}\n", *text), {{"tag", *text}});
        return static_cast<int>(kOk);
    });

    auto* noteCommand = command->add_subcommand("note", "Write a note to a run");
    noteCommand->add_option("RUN", *id, "Id, or a beginning of it")->required();
    noteCommand->add_option("TEXT", *text, "The note")->required();
    finishCommand(noteCommand, session, [&session, id, text] {
        RunStore::open(storePath()).note(*id, *text);
        session.print("noted\n", {{"note", *text}});
        return static_cast<int>(kOk);
    });

    auto* importCommand = command->add_subcommand("import", "Take run directories into the index");
    importCommand->add_option("DIR", *text, "A run, or a folder of runs [the runs directory]");
    finishCommand(importCommand, session, [&session, text] { return importRuns(session, *text); });

    auto* deleteCommand = command->add_subcommand("delete", "Take a run out of the index");
    deleteCommand->add_option("RUN", *id, "Id, or a beginning of it")->required();
    deleteCommand->add_flag("--files", *files, "Delete its directory too");
    finishCommand(deleteCommand, session,
                  [&session, id, files] { return removeRun(session, *id, *files); });
}

}  // namespace cospadi::cli
