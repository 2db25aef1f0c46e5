// `cospadi engine`: JSON lines in, JSON lines out (docs/formats.md). The window keeps one running
// as its child, so a fault here never takes the window down; another program can do the same.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>

#include "app/cli/curves_service.h"
#include "app/cli/device_watch.h"
#include "app/cli/engine_jobs.h"
#include "app/cli/engine_messages.h"
#include "app/cli/explore_service.h"
#include "app/cli/reproduce_service.h"
#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/cli/task_output.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/task_data.h"
#include "core/model/device_products.h"
#include "core/model/model.h"
#include "core/model/model_locator.h"
#include "core/run/evaluate_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_beginning.h"
#include "core/run/run_writer.h"
#include "core/store/locations.h"
#include "cospadi_version.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

constexpr int kProtocol = 1;

class Engine {
  public:
    Engine(const std::stop_token& signals, ComputeDevice device)
        : m_device(std::move(device)),
          m_onSignal(signals, [this] { m_jobs.cancelAll(); }),
          m_explore([this](const json& message) { send(message); }),
          m_curves([this](const json& message) { send(message); }) {}

    // First of all: the explorations, which end before the jobs, are waited for.
    ~Engine() { m_jobs.cancelAll(); }

    void serve(std::istream& in) {
        for (std::string line; std::getline(in, line);) {
            if (!line.empty()) {
                answer(line);
            }
        }
    }

  private:
    void answer(const std::string& line) {
        json id;
        try {
            const json request = json::parse(line);
            id = request.value("id", json());
            const json params = request.value("params", json::object());
            const std::string method = request.at("method").get<std::string>();
            if (method == "hello") {
                reply(id, {{"version", COSPADI_VERSION},
                           {"device", m_device.description},
                           {"device_reason", m_device.reason},
                           {"cores", ThreadPool::availableCores()},
                           {"protocol", kProtocol}});
            } else if (method == "compress") {
                compress(id, params);
            } else if (method == "evaluate") {
                evaluate(id, params);
            } else if (method == "evaluate_tasks") {
                evaluateTasksOf(id, params);
            } else if (method == "reproduce") {
                reproduce(id, params);
            } else if (method == "fetch_data") {
                fetchData(id, params);
            } else if (method == "calibrate") {
                calibrateModel(id, params);
            } else if (method == "portrait") {
                m_explore.portrait(id, params);
            } else if (method == "explore") {
                m_explore.explore(id, params);
            } else if (method == "stop_exploring") {
                m_explore.stopExploring();
                reply(id, json::object());
            } else if (method == "model_curves") {
                m_curves.measure(id, params);
            } else if (method == "stop_model_curves") {
                m_curves.stop();
                reply(id, json::object());
            } else if (method == "pause" || method == "resume" || method == "cancel") {
                control(id, method, params.at("run").get<std::string>());
            } else {
                throw Error(fmt::format("'{}' is not a request", method), "method",
                            "see docs/formats.md");
            }
        } catch (const json::exception& error) {
            fail(id, Error(fmt::format("malformed request: {}", error.what()), "request",
                           "see docs/formats.md"));
        } catch (const std::exception& error) {
            fail(id, error);
        }
    }

    void compress(const json& id, const json& params) {
        RunSpecification full = resolved(runSpecificationFromJson(params.at("specification")));
        std::filesystem::path directory = params.value("directory", "");
        const auto job = newJob(id);
        {
            // Without a directory it goes on with an unfinished run of the same settings.
            std::optional<RunBeginning> beginning;
            if (directory.empty()) {
                beginning.emplace(full, runsDirectory(), FinishedRuns::PassOver);
                beginning->requireIdle();
                if (const auto& earlier = beginning->earlier()) {
                    full = earlier->specification;
                    directory = earlier->directory;
                }
            }
            // Opening the run settles its id, and refuses other settings, before the reply.
            const RunWriter writer(directory, full, m_device.description);
            job->name = writer.id();
            directory = writer.directory();
        }
        if (m_jobs.find(job->name)) {
            throw Error(fmt::format("run '{}' is waiting already", job->name), directory.string(),
                        "wait for it, or cancel it first");
        }
        job->execute = [this, full, directory](EngineJob& self) { execute(self, full, directory); };
        job->refuse = [this, id, run = job->name](const Error& error) {
            sendOf(id, runEnd(run, "cancelled", error.problem()));
        };
        reply(id, {{"run", job->name}, {"directory", directory.string()}});
        m_jobs.add(job);
    }

    void execute(EngineJob& job, const RunSpecification& specification,
                 const std::filesystem::path& directory) {
        RunExecution execution;
        execution.writeModel = false;  // the window's runs load through their original model
        execution.gate = &job.gate;
        execution.device = m_device;
        // The window reads the run from the index when it hears the end: index it first.
        json end;
        execution.onEvent = [&](const json& event) {
            if (event.at("event") == "run_finished") {
                end = event;
            } else {
                sendOf(job.request, event);
                m_watch.look();
            }
        };
        try {
            indexRun(
                executeRun(specification, directory, execution, job.stop.get_token()).directory);
        } catch (const std::exception& error) {
            end = runEnd(job.name, "failed", error.what());
        }
        if (end.is_null()) {  // the run had been finished before
            end = runEnd(job.name, "finished", "");
        }
        m_jobs.forget(job.name);
        sendOf(job.request, end);
    }

    // The last event of a run that could not say it itself.
    static json runEnd(const std::string& run, const char* status, const std::string& message) {
        return {{"event", "run_finished"},
                {"run", run},
                {"status", status},
                {"message", message},
                {"seconds", 0}};
    }

    static std::shared_ptr<EngineJob> newJob(const json& request) {
        auto job = std::make_shared<EngineJob>();
        job->request = request;
        return job;
    }

    // A job that replies to `id` itself; what it throws is the reply otherwise.
    template <typename Body>
    std::shared_ptr<EngineJob> answering(const json& id, const char* method, Body body) {
        auto job = newJob(id);
        job->execute = [this, id, method, body = std::move(body)](EngineJob& self) {
            try {
                body(self);
            } catch (const Error& error) {
                fail(id, error);
            } catch (const std::exception& error) {
                fail(id, Error(error.what(), method, ""));
            }
        };
        job->refuse = [this, id](const Error& error) { fail(id, error); };
        return job;
    }

    void evaluate(const json& id, const json& params) {
        EvaluationRequest request;
        request.model = params.at("model").get<std::string>();
        request.text = namedText(params.value("text", "wikitext2"));
        request.options.context = params.value("context", std::int64_t{512});
        request.options.maxTokens = params.value("max_tokens", std::int64_t{0});
        request.options.score = scoredTokensFromName(params.value("score", "all"));
        request.device = m_device;
        const auto job = answering(id, "evaluate", [this, id, request](EngineJob& self) {
            if (!runDirectoryOf(request.model).empty()) {
                requireStore();
            }
            const auto outcome = evaluateAndRecord(
                request, [&](const Progress& p) { sendProgress(id, request.model, p); },
                self.stop.get_token());
            if (!outcome) {
                throw Error("cancelled", "evaluate", "");
            }
            const auto run = outcome->recordedAs.parent_path().parent_path();
            reply(id,
                  {{"perplexity", outcome->result.perplexity},
                   {"tokens", outcome->result.tokensScored},
                   {"seconds", outcome->result.seconds},
                   {"warning", run.empty() ? outcome->unrecorded : evaluatedButNotIndexed(run)}});
        });
        job->name = params.value("job", "");
        m_jobs.add(job);
    }

    // Tasks of a model or run. The caller names the job, so that it can be cancelled.
    void evaluateTasksOf(const json& id, const json& params) {
        NativeRequest request;
        request.model = params.at("model").get<std::string>();
        request.tasks = params.at("tasks").get<std::vector<std::string>>();
        request.selection.data = params.value("data", "");
        request.selection.limit = params.value("limit", 0.0);
        request.selection.shots = params.value("shots", std::int64_t{0});
        request.again = params.value("again", false);
        request.device = m_device;
        const auto name = params.at("job").get<std::string>();
        const auto job = answering(id, "evaluate_tasks", [this, id, request](EngineJob& self) {
            requireStore();
            const auto outcome = evaluateTasks(request, taskHooks(self), self.stop.get_token());
            if (!outcome) {
                throw Error("cancelled", "evaluate_tasks", "");
            }
            json result = taskEvaluationJson(outcome->evaluation);
            result["warning"] = outcome->run.empty() || !outcome->unrecorded.empty()
                                    ? outcome->unrecorded
                                    : evaluatedButNotIndexed(outcome->run);
            result["directory"] = outcome->run.string();
            result["seconds"] = outcome->seconds;
            result["sampled"] = outcome->sampled;
            reply(id, result);
        });
        job->name = name;
        m_jobs.add(job);
    }

    // A table or figure of the paper. The caller names the job, so that it can be cancelled.
    void reproduce(const json& id, const json& params) {
        const auto name = params.at("job").get<std::string>();
        const auto job = answering(
            id, "reproduce", [this, id, asked = reproductionAsked(params)](EngineJob& self) {
                reply(id, reproduceAsJob(asked, self, m_device,
                                         [&](const json& event) { sendOf(id, event); }));
            });
        job->name = name;
        m_jobs.add(job);
    }

    // On the thread that works jobs off, which lives as long as the engine: the child ends with it.
    void fetchData(const json& id, const json& params) {
        FetchOptions options;
        options.tasks = params.at("tasks").get<std::vector<std::string>>();
        const auto name = params.at("job").get<std::string>();
        const auto job = answering(id, "fetch_data", [this, id, options](EngineJob& self) {
            const auto step = [&](const std::string& text) {
                sendOf(id, {{"event", "data_step"}, {"job", self.name}, {"text", text}});
            };
            reply(id, fetchedDataJson(fetchTaskData(options, step, self.stop.get_token())));
        });
        job->name = name;
        m_jobs.add(job);
    }

    NativeHooks taskHooks(const EngineJob& asked) {
        NativeHooks hooks;
        const json id = asked.request;
        const std::string job = asked.name;
        const auto metrics = std::make_shared<json>();
        hooks.advance = [metrics](const Task&, const TaskTally& tally) {
            *metrics = {{"items", tally.items()}, {"metrics", json::array()}};
            for (const TaskMetric& metric : tally.metrics()) {
                (*metrics)["metrics"].push_back({{"metric", metric.name},
                                                 {"value", numberOrNull(metric.value)},
                                                 {"stderr", numberOrNull(metric.standardError)}});
            }
        };
        hooks.progress = [this, id, job, metrics](const Progress& progress) {
            json event = progressEvent(progress);
            event["event"] = "task_progress";
            event["job"] = job;
            event["task"] = progress.stage;
            event.update(*metrics);
            sendOf(id, event);
        };
        hooks.finished = [this, id, job](const TaskEvaluation& evaluation, bool wasThere) {
            json event = taskEvaluationJson(evaluation);
            event["event"] = "task_finished";
            event["job"] = job;
            event["task"] = evaluation.results.front().task;
            event["was_there"] = wasThere;
            sendOf(id, event);
        };
        return hooks;
    }

    void sendProgress(const json& id, const std::string& run, const Progress& progress) {
        json event = progressEvent(progress);
        event["run"] = run;
        sendOf(id, event);
    }

    // Fills the cache of Grams, so that a look at any matrix of the model is whitened.
    void calibrateModel(const json& id, const json& params) {
        const RunSpecification s = runSpecificationFromJson(params.at("specification"));
        m_jobs.add(answering(id, "calibrate", [this, id, s](EngineJob& self) {
            const Model model = Model::load(locateModel(s.model));
            ThreadPool pool;
            const auto products = productsOn(m_device, pool.threadCount());
            const auto grams = calibrate(
                model, pool, calibrationOptionsOf(s),
                [&](const Progress& p) { sendProgress(id, "calibration", p); },
                self.stop.get_token(), products.get());
            if (!grams) {
                throw Error("cancelled", "calibrate", "");
            }
            reply(id, {{"tokens", grams->tokens}, {"seconds", grams->seconds}});
        }));
    }

    void control(const json& id, const std::string& method, const std::string& run) {
        const std::shared_ptr<EngineJob> job = m_jobs.find(run);
        if (!job) {
            throw Error(fmt::format("run '{}' is neither running nor waiting", run), "run",
                        "start it with compress");
        }
        if (method == "cancel") {
            job->stop.request_stop();
        } else if (method == "pause") {
            job->gate.pause();
        } else {
            job->gate.resume();
        }
        reply(id, json::object());
        if (method != "cancel") {
            sendOf(job->request,
                   {{"event", method == "pause" ? "run_paused" : "run_resumed"}, {"run", run}});
        }
    }

    void reply(const json& id, const json& result) { send(resultMessage(id, result)); }
    void fail(const json& id, const std::exception& error) { send(errorMessage(id, error)); }
    void sendOf(const json& id, json event) { send(eventOfRequest(id, std::move(event))); }

    void send(const json& message) {
        const std::scoped_lock lock(m_outMutex);
        fmt::print("{}\n", message.dump(-1, ' ', false, json::error_handler_t::replace));
        std::fflush(stdout);
    }

    ComputeDevice m_device;
    DeviceWatch m_watch{m_device, [this](const json& event) { send(event); }};
    std::mutex m_outMutex;
    EngineJobs m_jobs;
    std::stop_callback<std::function<void()>> m_onSignal;
    ExploreService m_explore;
    CurvesService m_curves;
};

}  // namespace

void addEngine(Command app, Session& session) {
    const Command command = app.addCommand(
        "engine",
        "Serve requests as JSON lines on stdin and stdout (for the window and other programs)");
    auto device = std::make_shared<DeviceOptions>();
    device->addTo(command);
    finishCommand(command, session, [&session, device] {
        Engine engine(session.signals.token(), device->open());
        engine.serve(std::cin);
        return static_cast<int>(kOk);
    });
}

}  // namespace cospadi::cli
