#include "app/cli/explore_service.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/explore.h"
#include "core/pipeline/resolve_specification.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

json pointJson(const ExplorePoint& point, int exploration, double seconds) {
    return {{"event", "explore_point"},
            {"exploration", exploration},
            {"curve", name(point.curve)},
            {"cr", point.cr},
            {"rho", point.rho},
            {"k", point.k},
            {"s", point.s},
            {"iteration", point.iteration},
            {"relative_error", point.relativeError},
            {"bytes", point.bytes},
            {"settled", point.settled},
            {"last", point.last},
            {"seconds", seconds}};
}

}  // namespace

ExploreService::ExploreService(Send send)
    : m_send(std::move(send)), m_worker([this](const std::stop_token& quit) { work(quit); }) {}

ExploreService::~ExploreService() {
    {
        const std::scoped_lock lock(m_mutex);
        m_tasks.clear();
        m_exploring.request_stop();
    }
    m_worker.request_stop();
    m_wake.notify_all();
}

std::shared_ptr<MatrixExplorer> ExploreService::explorerOf(const json& specification,
                                                           const std::string& layer) {
    const RunSpecification s = runSpecificationFromJson(specification);
    const json calibration = toJson(s).at("calibration");
    const std::string key = s.model + '\n' + layer + '\n' + calibration.dump();
    // Without a Gram it is read again: a calibration may have come in between.
    if (key != m_warmKey || !m_warm || !m_warm->isWhitened()) {
        m_warm.reset();
        m_warm = std::make_shared<MatrixExplorer>(readMatrixAtHand(s, layer));
        m_warmKey = key;
    }
    return m_warm;
}

void ExploreService::portrait(const json& id, const json& params) {
    const json specification = params.at("specification");
    const auto layer = params.at("layer").get<std::string>();
    enqueue({[this, id, specification, layer] {
                 const auto explorer = explorerOf(specification, layer);
                 const MatrixAtHand& matrix = explorer->matrix();
                 const MatrixPortrait p = portraitOf(matrix);
                 m_send({{"id", id},
                         {"result",
                          {{"layer", layer},
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
                           {"gram_absence", matrix.gramAbsence}}}});
             },
             id});
}

void ExploreService::explore(const json& id, const json& params) {
    const json specification = params.at("specification");
    const auto layer = params.at("layer").get<std::string>();
    const RunSpecification s = runSpecificationFromJson(specification);
    ExploreRequest request;
    request.options = matrixOptionsOf(s);
    request.rhos = params.value("rhos", std::vector<double>{});
    request.crs = params.value("crs", std::vector<double>{});
    std::stop_source stop;
    int number = 0;
    {
        const std::scoped_lock lock(m_mutex);
        m_exploring.request_stop();
        m_exploring = stop;
        number = ++m_explorations;
    }
    enqueue({[this, id, specification, layer, request, number, token = stop.get_token()] {
                 const Stopwatch clock;
                 if (token.stop_requested()) {  // another one came while this one waited
                     m_send({{"id", id}, {"result", {{"exploration", number}, {"stale", true}}}});
                     return;
                 }
                 const auto explorer = explorerOf(specification, layer);
                 m_send({{"id", id},
                         {"result",
                          {{"exploration", number},
                           {"layer", layer},
                           {"d1", explorer->matrix().info.d1},
                           {"d2", explorer->matrix().info.d2},
                           {"whitened", explorer->isWhitened()},
                           {"gram_absence", explorer->matrix().gramAbsence}}}});
                 ExploreCallbacks callbacks;
                 callbacks.point = [&](const ExplorePoint& point) {
                     m_send(pointJson(point, number, clock.seconds()));
                 };
                 callbacks.passedOver = [&](const std::string& reason) {
                     m_send({{"event", "explore_passed_over"},
                             {"exploration", number},
                             {"message", reason}});
                 };
                 callbacks.reference = [&](const std::vector<ReferencePoint>& reference) {
                     json points = json::array();
                     for (const ReferencePoint& point : reference) {
                         points.push_back({{"cr", point.cr},
                                           {"rank", point.rank},
                                           {"relative_error", point.relativeError},
                                           {"bytes", point.bytes}});
                     }
                     m_send({{"event", "explore_reference"},
                             {"exploration", number},
                             {"points", points}});
                 };
                 std::string status = "finished";
                 std::string message;
                 try {
                     if (explorer->explore(request, callbacks, token) == Termination::Cancelled) {
                         status = "cancelled";
                     }
                 } catch (const std::exception& error) {
                     status = "failed";
                     message = error.what();
                 }
                 m_send({{"event", "explore_finished"},
                         {"exploration", number},
                         {"status", status},
                         {"message", message},
                         {"seconds", clock.seconds()}});
             },
             id});
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
            fail(task.id, error);
        }
    }
}

void ExploreService::fail(const json& id, const std::exception& error) {
    const auto* ours = dynamic_cast<const Error*>(&error);
    m_send({{"id", id},
            {"error",
             {{"message", ours != nullptr ? ours->problem() : error.what()},
              {"where", ours != nullptr ? ours->where() : "engine"},
              {"hint", ours != nullptr ? ours->hint() : ""}}}});
}

}  // namespace cospadi::cli
