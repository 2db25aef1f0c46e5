#include "app/cli/lm_eval_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/stated_flags.h"
#include "app/cli/task_output.h"
#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/lm_eval/task_evaluation.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

struct LmEvalImportOptions {
    std::string source;
    std::string run;
    StatedFlags stated;
};

// A results file, or every one in a folder and those below it: lm-eval makes a folder a model, and
// a file each time it is asked.
std::vector<fs::path> resultsIn(const fs::path& source) {
    std::vector<fs::path> files;
    if (!fs::is_directory(source)) {
        return {source};
    }
    for (const auto& entry : fs::recursive_directory_iterator(source)) {
        const std::string file = entry.path().filename().string();
        if (entry.is_regular_file() && file.starts_with("results") && file.ends_with(".json")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());               // their names end in the time
    return files.empty() ? std::vector{source} : files;  // which then is named as the problem
}

std::vector<TaskEvaluation> evaluationsIn(const fs::path& source) {
    std::vector<TaskEvaluation> evaluations;
    for (const fs::path& file : resultsIn(source)) {
        evaluations.push_back(readTaskEvaluation(file));
    }
    return evaluations;
}

// Results of this program carry the run's id as the model's name. The beginning of an id is the
// name of some other model.
fs::path ownRunOf(const std::string& model, const RunStore& store) {
    if (fs::path named = runDirectoryNamed(model); !named.empty()) {
        return named;
    }
    std::error_code failed;
    if (fs::exists(model, failed)) {
        return {};
    }
    RunFilter byId;
    byId.ids = {model};
    byId.includeArchived = true;
    return store.list(byId).empty() ? fs::path() : store.directoryOf(model);
}

class Importer {
  public:
    explicit Importer(const Session& session)
        : m_session(session), m_store(RunStore::open(storePath())) {}

    const RunStore& store() const { return m_store; }

    void record(const fs::path& run, const TaskEvaluation& evaluation, bool isNew) {
        const std::string id = m_store.importRun(run);
        nlohmann::json object = taskEvaluationJson(evaluation);
        object["run"] = id;
        object["file"] = evaluation.source.string();
        m_imported.push_back(std::move(object));
        m_text += m_text.empty() ? "" : "\n";
        m_text += taskEvaluationTable(evaluation) +
                  fmt::format("{} recorded with {} {}\n", evaluation.source.filename().string(),
                              isNew ? "a new run," : "run", id);
    }

    int finish() const {
        m_session.print(m_text, {{"imported", m_imported}});
        return kOk;
    }

  private:
    const Session& m_session;
    RunStore m_store;
    nlohmann::json m_imported = nlohmann::json::array();
    std::string m_text;
};

// Each to the run that it names, or that the user names, else to a new one.
int importByName(const Session& session, const LmEvalImportOptions& options) {
    Importer importer(session);
    for (const fs::path& file : resultsIn(options.source)) {
        const TaskEvaluation evaluation = readTaskEvaluation(file);
        fs::path run = options.run.empty() ? ownRunOf(evaluation.model, importer.store())
                                           : runDirectoryOf(options.run);
        if (run.empty() && !options.run.empty()) {
            throw Error("there is no such run", options.run,
                        "`cospadi runs list` lists the stored runs");
        }
        const bool isForeign = run.empty();
        if (isForeign) {
            run = writeExternalRun(runsDirectory(), evaluation);
        } else {
            recordTaskEvaluation(run, evaluation);
        }
        importer.record(run, evaluation, isForeign);
    }
    return importer.finish();
}

// One statement is of one model: all files are its results, in one run.
int importStated(const Session& session, const LmEvalImportOptions& options) {
    const std::vector<TaskEvaluation> evaluations = evaluationsIn(options.source);
    const TaskEvaluation& first = evaluations.front();
    Importer importer(session);
    for (const TaskEvaluation& evaluation : evaluations) {
        if (const fs::path own = ownRunOf(evaluation.model, importer.store()); !own.empty()) {
            throw Error("are results of a run of this program, so its method and bytes are known",
                        evaluation.source.string(), "import them without --method");
        }
        if (evaluation.model != first.model) {
            throw Error(fmt::format("are results of {}, others in this folder of {}",
                                    evaluation.model, first.model),
                        evaluation.source.string(),
                        "import the files of one compressed model at a time");
        }
    }
    const fs::path run = writeExternalRun(runsDirectory(), first, options.stated.model());
    for (const TaskEvaluation& evaluation : evaluations) {
        recordTaskEvaluation(run, evaluation);
        importer.record(run, evaluation, &evaluation == &first);
    }
    return importer.finish();
}

}  // namespace

LmEvalImport addLmEvalImport(Command lmEval, Session& session) {
    const Command command = lmEval.addCommand("import", "Import the results of any run of lm-eval");
    auto options = std::make_shared<LmEvalImportOptions>();
    command.addOption("FILE", options->source, "A results_….json, or a folder: all of them in it")
        .required();
    const Argument run = command.addOption(
        "--run", options->run,
        "The run the results belong to [the run they name, else a new external one]");
    options->stated.addTo(
        command, "The model that was compressed: a path, default, or a name [its name in lm-eval]");
    options->stated.method().excludes(run);
    command.addFlag("--json", session.json, "Print a single JSON object on stdout");
    return {command, [&session, options] {
                options->stated.check();
                return options->stated.given() ? importStated(session, *options)
                                               : importByName(session, *options);
            }};
}

}  // namespace cospadi::cli
