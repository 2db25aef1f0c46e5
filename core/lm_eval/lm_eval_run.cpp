#include "core/lm_eval/lm_eval_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/exports/compressed_model.h"
#include "core/exports/model_side_files.h"
#include "core/lm_eval/lm_eval_command.h"
#include "core/lm_eval/lm_eval_files.h"
#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/nltk_data.h"
#include "core/lm_eval/python_environment.h"
#include "core/lm_eval/task_data.h"
#include "core/run/dense_run.h"
#include "core/serving/chat_api.h"
#include "core/serving/model_server.h"
#include "core/store/locations.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// A folder that exists while this object does: a lock says so, and the next one sweeps up after
// those that were killed. Its name is new, not made of the process' number: in containers that
// share a home every first process has the same.
class WorkFolder {
  public:
    explicit WorkFolder(const fs::path& parent) : WorkFolder(parent, SweepLock(parent)) {}
    ~WorkFolder() { ::close(m_lock); }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    const fs::path& path() const { return m_folder.path(); }

  private:
    // Held while one sweeps and makes its own: nobody takes a folder for a leftover whose lock is
    // not taken yet.
    class SweepLock {
      public:
        explicit SweepLock(const fs::path& parent) {
            fs::create_directories(parent);
            m_file =
                ::open((parent.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
            ::flock(m_file, LOCK_EX);
        }
        ~SweepLock() { ::close(m_file); }
        SweepLock(const SweepLock&) = delete;
        SweepLock& operator=(const SweepLock&) = delete;

      private:
        int m_file = -1;
    };

    WorkFolder(const fs::path& parent, const SweepLock&)
        : m_folder(TemporaryFolder::unique("work", sweptUp(parent))),
          m_lock(::open((m_folder.path() / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        ::flock(m_lock, LOCK_EX | LOCK_NB);
    }

    static const fs::path& sweptUp(const fs::path& parent) {
        for (const auto& entry : fs::directory_iterator(parent)) {
            const int lock = ::open((entry.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
            if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0) {
                std::error_code ignored;
                fs::remove_all(entry.path(), ignored);
            }
            if (lock >= 0) {
                ::close(lock);
            }
        }
        return parent;
    }

    TemporaryFolder m_folder;
    int m_lock;
};

// Lines of what lm-eval says: tqdm's bars become progress, the rest is kept for messages.
class OutputReader {
  public:
    explicit OutputReader(const ProgressCallback& progress) : m_progress(progress) {}

    void add(std::string_view text) {
        for (const char c : text) {
            if (c == '\n' || c == '\r') {
                takeLine();
                m_line.clear();
            } else {
                m_line += c;
            }
        }
    }
    const std::string& said() const { return m_said; }

  private:
    // "Requesting API:  25%|██▌       | 10/40 [00:02<00:06,  4.62it/s]"
    void takeLine() {
        const std::size_t bar = m_line.find("Requesting API:");
        const std::size_t counts = bar == std::string::npos ? bar : m_line.rfind("| ");
        std::int64_t done = 0;
        std::int64_t total = 0;
        if (counts != std::string::npos) {
            const char* end = m_line.data() + m_line.size();
            const auto first = std::from_chars(m_line.data() + counts + 2, end, done);
            if (first.ec == std::errc() && first.ptr != end && *first.ptr == '/') {
                std::from_chars(first.ptr + 1, end, total);
            }
        }
        if (total > 0) {
            tell(done, total);
        } else if (bar == std::string::npos) {
            m_said += m_line + "\n";
        }
    }

    void tell(std::int64_t done, std::int64_t total) {
        if (total != m_total || done < m_done) {  // the requests of another kind
            m_watch = {};
        }
        m_done = done;
        m_total = total;
        const double seconds = m_watch.seconds();
        if (m_progress) {
            m_progress(
                {"requests", done, total, seconds,
                 done > 0 ? seconds / static_cast<double>(done) * static_cast<double>(total - done)
                          : -1});
        }
    }

    const ProgressCallback& m_progress;
    std::string m_line;
    std::string m_said;
    std::int64_t m_done = 0;
    std::int64_t m_total = 0;
    Stopwatch m_watch;
};

// lm-eval parses model_args as a list with commas.
std::string plainName(const std::string& model, const fs::path& run) {
    std::string name = nameOfPath(run.empty() ? fs::path(model) : run);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ',' || c == '=' || c == ' '; }, '_');
    return name;
}

// The data sets that were fetched, where they are all that is asked for and no folder is named.
LmEvalRequest withFetchedData(LmEvalRequest request) {
    if (request.data.empty() && request.include.empty() && request.mayUseFetched) {
        request.data = fetchedDataFor(request.tasks);
    }
    return request;
}

// A task that was asked for and is not in the results was lost on the way.
void requireTasks(const LmEvalRequest& request, const TaskEvaluation& evaluation,
                  const std::vector<LocalTask>& local) {
    for (const std::string& task : request.tasks) {
        const bool isLocal = std::any_of(
            local.begin(), local.end(), [&](const LocalTask& known) { return known.name == task; });
        const bool isThere =
            std::any_of(evaluation.results.begin(), evaluation.results.end(),
                        [&](const TaskResultRow& row) { return row.task == task; });
        if (isLocal && !isThere) {
            throw Error("lm-eval wrote no result for this task", task, "run it again");
        }
    }
}

}  // namespace

void LmEvalRequest::validate() const {
    if (tasks.empty()) {
        throw Error("no task is given", "--tasks", "for example --tasks piqa,arc_easy");
    }
    for (const std::string& task : tasks) {
        if (task.empty() || task.starts_with('-')) {
            throw Error(fmt::format("\"{}\" is not a task", task), "--tasks",
                        "for example --tasks piqa,arc_easy");
        }
    }
    for (const auto& [folder, option] : {std::pair(data, "--data"), {include, "--include"}}) {
        if (!folder.empty() && !fs::is_directory(folder)) {
            throw Error("is not a folder", folder.string(), fmt::format("check {}", option));
        }
    }
    if (limit && !(*limit > 0)) {
        throw Error("must be above 0", "--limit", "omit it for all items");
    }
    if (shots && *shots < 0) {
        throw Error("must not be negative", "--num-fewshot", "use 0 for none");
    }
    if (!chatTemplate.empty() && !chat) {
        throw Error("applies to chat prompts only", "--chat-template", "add --chat");
    }
    for (const std::string& task : tasks) {
        if (chat && scoresLikelihoods(task)) {
            throw Error(
                "scores the likelihoods of its answers, but chat completions return no likelihoods",
                task, "run it without --chat");
        }
    }
}

std::optional<LmEvalOutcome> runLmEval(const LmEvalRequest& asked, const LmEvalHooks& hooks,
                                       const std::stop_token& stop, const fs::path& keep) {
    asked.validate();
    const LmEvalRequest request = withFetchedData(asked);
    const auto step = [&](const std::string& text) {
        if (hooks.step) {
            hooks.step(text);
        }
    };
    step("loading the model");
    const Model model = loadModelOrRun(request.model);
    const nlohmann::json tokenizer = tokenizerConfigOf(WeightSource::open(model.sourcePath()));
    const std::string chatTemplate =
        request.chat ? chatTemplateOf(tokenizer, request.chatTemplate).name() : std::string();

    const PythonEnvironment environment = lmEvalEnvironment(hooks.step, stop);
    const WorkFolder work(fs::absolute(dataDirectory()) / "lm-eval-work");
    const fs::path tasks = work.path() / "tasks";
    fs::create_directories(tasks);
    fs::create_directories(work.path() / "out");
    std::vector<LocalTask> local;
    if (!request.data.empty()) {
        local = writeLocalTasks(request.data, environment.tasks, tasks, request.shots.value_or(0));
    }
    if (!request.include.empty()) {
        fs::copy(request.include, tasks / "included", fs::copy_options::recursive);
    }

    const fs::path sentences = nltkDataFor(request.tasks, environment, hooks.step, stop);

    LmEvalOutcome outcome;
    fs::path run = runDirectoryOf(request.model);
    if (run.empty()) {
        try {
            run = denseRunOf(request.model);
        } catch (const std::exception& error) {  // measured all the same
            outcome.unrecorded = error.what();
        }
    }
    requireWritableFolder(keep);
    ServerOptions options;
    options.port = 0;
    options.name = plainName(request.model, run);
    options.scheduler.threads = request.threads;
    // Its own connection for tokenizing stays open beside them.
    options.http.connections = std::max(options.http.connections, request.concurrent + 8);
    options.maxPromptTokens = std::min(request.maxLength, model.config().contextLength);
    options.chatTemplate = request.chatTemplate;
    ModelServer server(model, tokenizer, options);
    std::jthread serving([&](const std::stop_token& end) { server.serve(end); });

    step("lm-eval is starting");
    LmEvalRequest bounded = request;
    bounded.maxLength = options.maxPromptTokens;
    ChildCommand command =
        lmEvalCommand(bounded, environment.python, {options.name, server.url()}, work.path());
    if (!sentences.empty()) {
        command.environment["NLTK_DATA"] = sentences.string();
    }
    OutputReader output(hooks.progress);
    const ChildOutcome child = runChild(
        command, [&](std::string_view text) { output.add(text); }, stop);
    serving.request_stop();
    serving.join();
    if (child.stopped) {
        return std::nullopt;
    }
    if (child.exitCode != 0) {
        failAsItSays(child.exitCode, output.said(), request);
    }
    try {
        outcome.evaluation = readTaskEvaluation(work.path() / "out");
    } catch (const Error& error) {  // its folder is about to go: what it said is what helps
        throw Error(fmt::format("{}: {}", error.problem(), endOfOutput(output.said())), "lm-eval",
                    error.hint());
    }
    requireTasks(request, outcome.evaluation, local);
    for (TaskResultRow& row : outcome.evaluation.results) {
        row.version = versionAtLength(row.version, request.maxLength);
        for (const LocalTask& task : local) {
            row.dataSha256 = task.name == row.task ? task.dataSha256 : row.dataSha256;
        }
    }
    if (request.chat) {
        outcome.evaluation.chatTemplate = chatTemplate;
    }
    outcome.computedTokens = server.counts().computedTokens;
    outcome.cachedTokens = server.counts().cachedTokens;
    if (!run.empty()) {
        try {
            outcome.recordedAs = recordTaskEvaluation(run, outcome.evaluation);
        } catch (const std::exception& error) {
            outcome.unrecorded = error.what();
        }
    }
    if (!keep.empty()) {
        fs::create_directories(keep);
        fs::copy(outcome.evaluation.source.parent_path(), keep,
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
    return outcome;
}

}  // namespace cospadi
