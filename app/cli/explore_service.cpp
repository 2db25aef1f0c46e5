#include "app/cli/explore_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/engine_messages.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/methods/layer_groups.h"
#include "core/run/resolve_specification.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kMostMatrices = 8;

// Of one matrix of an exploration.
json eventOf(const char* kind, const Exploration& exploration, const std::string& layer) {
    return eventOfRequest(exploration.request,
                          {{"event", kind}, {"exploration", exploration.number}, {"layer", layer}});
}

json matrixEvent(const MatrixExplorer& explorer, const ExploreRequest& request,
                 const Exploration& exploration, const std::string& layer) {
    const MatrixOptions options = explorer.optionsOf(request);
    json curves = json::array();
    if (options.method->uses("rho")) {
        curves.push_back(name(ExploreCurve::Rho));
    }
    if (options.method->hasRatio(options)) {
        curves.push_back(name(ExploreCurve::Cr));
    }
    json event = eventOf("explore_matrix", exploration, layer);
    event["d1"] = explorer.matrix().info.d1;
    event["d2"] = explorer.matrix().info.d2;
    event["whitened"] = explorer.isWhitened();
    event["gram_absence"] = explorer.matrix().gramAbsence;
    event["method"] = options.method->name();
    event["curves"] = std::move(curves);
    return event;
}

json pointEvent(const ExplorePoint& point, const Exploration& exploration, const std::string& layer,
                double seconds) {
    json event = eventOf("explore_point", exploration, layer);
    event.update({{"curve", name(point.curve)},
                  {"cr", point.cr},
                  {"stored", point.stored},
                  {"iteration", point.iteration},
                  {"relative_error", point.relativeError},
                  {"bytes", point.bytes},
                  {"settled", point.settled},
                  {"seconds", seconds}});
    if (point.rho > 0) {
        event["rho"] = point.rho;
    }
    if (point.k > 0) {
        event.update({{"k", point.k}, {"s", point.s}});
    }
    return event;
}

json referenceEvent(const std::vector<ReferencePoint>& reference, const Exploration& exploration,
                    const std::string& layer) {
    json points = json::array();
    for (const ReferencePoint& point : reference) {
        points.push_back({{"cr", point.cr},
                          {"rank", point.rank},
                          {"relative_error", point.relativeError},
                          {"bytes", point.bytes}});
    }
    json event = eventOf("explore_reference", exploration, layer);
    event["points"] = std::move(points);
    return event;
}

}  // namespace

ExploreService::ExploreService(Send send)
    : m_send(std::move(send)), m_worker([this](const std::stop_token& quit) { work(quit); }) {}

ExploreService::~ExploreService() {
    std::deque<Task> waiting;
    {
        const std::scoped_lock lock(m_mutex);
        waiting.swap(m_tasks);
        m_exploring.request_stop();
    }
    m_worker.request_stop();
    m_wake.notify_all();
    for (const Task& task : waiting) {
        m_send(errorMessage(task.id, notBegun()));
    }
}

std::shared_ptr<MatrixExplorer> ExploreService::explorerOf(const RunSpecification& specification,
                                                           const std::string& layer) {
    const json calibration = toJson(specification).at("calibration");
    const std::string key = specification.model + '\n' + layer + '\n' + calibration.dump() +
                            std::to_string(specification.heldOut);
    const auto known = std::find_if(m_warm.begin(), m_warm.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    if (known != m_warm.end()) {
        m_warm.splice(m_warm.begin(), m_warm, known);
        const MatrixExplorer& warm = *m_warm.front().second;
        if (warm.isWhitened() &&
            (warm.matrix().rowFisher || !methodOf(specification).needsGradients())) {
            return m_warm.front().second;
        }
        m_warm.pop_front();  // a calibration may have come in between
    }
    if (m_warm.size() >= kMostMatrices) {
        m_warm.pop_back();
    }
    m_warm.emplace_front(key,
                         std::make_shared<MatrixExplorer>(readMatrixAtHand(specification, layer)));
    return m_warm.front().second;
}

void ExploreService::portrait(const json& id, const json& params) {
    const json& specification = params.at("specification");
    const auto layer = params.at("layer").get<std::string>();
    enqueue({[this, id, specification, layer] {
                 const auto explorer = explorerOf(runSpecificationFromJson(specification), layer);
                 const MatrixAtHand& matrix = explorer->matrix();
                 const MatrixPortrait p = portraitOf(matrix);
                 m_send(resultMessage(id, {{"layer", layer},
                                           {"d1", matrix.info.d1},
                                           {"d2", matrix.info.d2},
                                           {"mean", p.mean},
                                           {"deviation", p.deviation},
                                           {"least", p.least},
                                           {"greatest", p.greatest},
                                           {"zeros", p.zeros},
                                           {"histogram",
                                            {{"low", p.histogram.low},
                                             {"high", p.histogram.high},
                                             {"counts", p.histogram.counts}}},
                                           {"singular_values", p.singularValues},
                                           {"whitened_values", p.whitenedValues},
                                           {"gram_absence", matrix.gramAbsence}}));
             },
             id});
}

void ExploreService::explore(const json& id, const json& params) {
    const RunSpecification specification = runSpecificationFromJson(params.at("specification"));
    const auto layers = params.at("layers").get<std::vector<std::string>>();
    if (layers.empty() || layers.size() > kMostMatrices) {
        throw Error(fmt::format("{} matrices cannot be explored at once", layers.size()), "layers",
                    fmt::format("give 1 to {}", kMostMatrices));
    }
    ExploreRequest request;
    request.options = withoutGroups(specification);  // each by itself
    request.rhos = params.value("rhos", std::vector<double>{});
    request.crs = params.value("crs", std::vector<double>{});
    std::stop_source stop;
    Exploration exploration{id, 0};
    {
        const std::scoped_lock lock(m_mutex);
        m_exploring.request_stop();
        m_exploring = stop;
        exploration.number = ++m_explorations;
    }
    enqueue({[this, specification, layers, request, exploration, token = stop.get_token()] {
                 const Stopwatch clock;
                 const bool stale = token.stop_requested();  // another one came meanwhile
                 m_send(resultMessage(exploration.request,
                                      {{"exploration", exploration.number}, {"stale", stale}}));
                 std::string status = "finished";
                 std::string message;
                 try {
                     if (stale || exploreAll(specification, layers, request, exploration, token) ==
                                      Termination::Cancelled) {
                         status = "cancelled";
                     }
                 } catch (const std::exception& error) {
                     status = "failed";
                     message = error.what();
                 }
                 m_send(eventOfRequest(exploration.request, {{"event", "explore_finished"},
                                                             {"exploration", exploration.number},
                                                             {"status", status},
                                                             {"message", message},
                                                             {"seconds", clock.seconds()}}));
             },
             id});
}

Termination ExploreService::exploreAll(const RunSpecification& specification,
                                       const std::vector<std::string>& layers,
                                       const ExploreRequest& request,
                                       const Exploration& exploration,
                                       const std::stop_token& stop) {
    const Stopwatch clock;
    const auto callbacksFor = [&](const std::string& layer) {
        ExploreCallbacks callbacks;
        callbacks.point = [&](const ExplorePoint& point) {
            m_send(pointEvent(point, exploration, layer, clock.seconds()));
        };
        callbacks.passedOver = [&](const std::string& reason) {
            json event = eventOf("explore_passed_over", exploration, layer);
            event["message"] = reason;
            m_send(event);
        };
        callbacks.reference = [&](const std::vector<ReferencePoint>& reference) {
            m_send(referenceEvent(reference, exploration, layer));
        };
        return callbacks;
    };
    std::vector<std::shared_ptr<MatrixExplorer>> explorers;
    for (const std::string& layer : layers) {
        explorers.push_back(explorerOf(specification, layer));
        m_send(matrixEvent(*explorers.back(), request, exploration, layer));
        if (explorers.back()->solveHere(request, callbacksFor(layer), stop) ==
            Termination::Cancelled) {
            return Termination::Cancelled;
        }
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (explorers[i]->solveCurves(request, callbacksFor(layers[i]), stop) ==
            Termination::Cancelled) {
            return Termination::Cancelled;
        }
    }
    return Termination::Converged;
}

void ExploreService::stopExploring() {
    const std::scoped_lock lock(m_mutex);
    m_exploring.request_stop();
}

void ExploreService::enqueue(Task task) {
    {
        const std::scoped_lock lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    m_wake.notify_one();
}

void ExploreService::work(const std::stop_token& quit) {
    for (;;) {
        Task task;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, quit, [this] { return !m_tasks.empty(); })) {
                return;
            }
            task = std::move(m_tasks.front());
            m_tasks.pop_front();
        }
        try {
            task.execute();
        } catch (const std::exception& error) {
            m_send(errorMessage(task.id, error));
        }
    }
}

}  // namespace cospadi::cli
