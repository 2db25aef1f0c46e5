// `cospadi engine`: JSON lines in, JSON lines out (docs/formats.md). The window keeps one running
// as its child, so a fault here never takes the window down; another program can do the same.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <mutex>
#include <stop_token>

#include "app/cli/compress_service.h"
#include "app/cli/curves_service.h"
#include "app/cli/device_watch.h"
#include "app/cli/engine_jobs.h"
#include "app/cli/engine_messages.h"
#include "app/cli/evaluate_service.h"
#include "app/cli/explore_service.h"
#include "app/cli/reproduce_service.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/model/device_products.h"
#include "core/model/model.h"
#include "core/model/model_locator.h"
#include "core/run/resolve_specification.h"
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
        const CompressionAsked asked = compressionAsked(params, m_device);
        if (m_jobs.find(asked.run)) {
            throw Error(fmt::format("run '{}' is already queued", asked.run),
                        asked.directory.string(), "wait for it, or cancel it first");
        }
        const auto job = newJob(id, asked.run);
        job->execute = [this, asked](EngineJob& self) {
            const json end = compressAsJob(asked, self, m_device, [&](json event) {
                sendOf(self.request, std::move(event));
                m_watch.look();
            });
            m_jobs.forget(self.name);
            sendOf(self.request, end);
        };
        job->refuse = [this, id, run = asked.run](const Error& error) {
            sendOf(id, runEnd(run, "cancelled", error.problem()));
        };
        reply(id, {{"run", asked.run}, {"directory", asked.directory.string()}});
        m_jobs.add(job);
    }

    static std::shared_ptr<EngineJob> newJob(const json& request, const std::string& name) {
        auto job = std::make_shared<EngineJob>();
        job->request = request;
        job->name = name;
        return job;
    }

    // A job that replies to `id` by what body(job, sendEvent) returns or throws.
    template <typename Body>
    void addAnswering(const json& id, const char* method, const std::string& name, Body body) {
        const auto job = newJob(id, name);
        job->execute = [this, id, method, body = std::move(body)](EngineJob& self) {
            try {
                reply(id, body(self, [this, id](json event) { sendOf(id, std::move(event)); }));
            } catch (const Error& error) {
                fail(id, error);
            } catch (const std::exception& error) {
                fail(id, Error(error.what(), method, ""));
            }
        };
        job->refuse = [this, id](const Error& error) { fail(id, error); };
        m_jobs.add(job);
    }

    void evaluate(const json& id, const json& params) {
        addAnswering(
            id, "evaluate", params.value("job", ""),
            [asked = evaluationAsked(params, m_device)](EngineJob& self, const SendEvent& send) {
                return evaluateAsJob(asked, self, send);
            });
    }

    // Tasks of a model or run. The caller names the job, so that it can be cancelled.
    void evaluateTasksOf(const json& id, const json& params) {
        addAnswering(
            id, "evaluate_tasks", params.at("job").get<std::string>(),
            [asked = tasksAsked(params, m_device)](EngineJob& self, const SendEvent& send) {
                return evaluateTasksAsJob(asked, self, send);
            });
    }

    // A table or figure of the paper. The caller names the job, so that it can be cancelled.
    void reproduce(const json& id, const json& params) {
        addAnswering(
            id, "reproduce", params.at("job").get<std::string>(),
            [this, asked = reproductionAsked(params)](EngineJob& self, const SendEvent& send) {
                return reproduceAsJob(asked, self, m_device, send);
            });
    }

    // On the thread that works jobs off, which lives as long as the engine: the child ends with it.
    void fetchData(const json& id, const json& params) {
        addAnswering(id, "fetch_data", params.at("job").get<std::string>(),
                     [asked = fetchAsked(params)](EngineJob& self, const SendEvent& send) {
                         return fetchAsJob(asked, self, send);
                     });
    }

    // Fills the cache of Grams, so that a look at any matrix of the model is whitened.
    void calibrateModel(const json& id, const json& params) {
        const RunSpecification s = runSpecificationFromJson(params.at("specification"));
        addAnswering(
            id, "calibrate", "", [this, s](EngineJob& self, const SendEvent& send) -> json {
                const Model model = Model::load(locateModel(s.model), {.deferredAbove = 0});
                ThreadPool pool;
                const auto products = productsOn(m_device, pool.threadCount());
                const auto tell = [&](const Progress& progress) {
                    json event = progressEvent(progress);
                    event["run"] = "calibration";
                    send(event);
                };
                const auto grams = calibrate(model, pool, calibrationOptionsOf(s), tell,
                                             self.stop.get_token(), products.get());
                if (!grams) {
                    throw Error("cancelled", "calibrate", "");
                }
                return {{"tokens", grams->tokens}, {"seconds", grams->seconds}};
            });
    }

    void control(const json& id, const std::string& method, const std::string& run) {
        const std::shared_ptr<EngineJob> job = m_jobs.find(run);
        if (!job) {
            throw Error(fmt::format("run '{}' is neither running nor queued", run), "run",
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
