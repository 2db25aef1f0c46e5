#include "app/cli/curves_service.h"

#include <string>
#include <utility>

#include "app/cli/engine_messages.h"
#include "core/base/stopwatch.h"
#include "core/explore/whole_model.h"
#include "core/run/run_events.h"

namespace cospadi::cli {

using nlohmann::json;

void CurvesService::measure(const json& id, const json& params) {
    const RunSpecification specification = runSpecificationFromJson(params.at("specification"));
    validate(specification);
    static_cast<void>(curveOptions(specification));
    const std::scoped_lock lock(m_mutex);
    m_worker.request_stop();
    m_send(resultMessage(id, json::object()));
    m_worker = std::jthread([this, id, specification,
                             before = std::move(m_worker)](const std::stop_token& stop) mutable {
        if (before.joinable()) {
            before.join();  // one model in memory at a time
        }
        work(id, specification, stop);
    });
}

void CurvesService::work(const json& id, const RunSpecification& specification,
                         const std::stop_token& stop) {
    const Stopwatch clock;
    std::string status = "finished";
    std::string message;
    WholeModelCallbacks callbacks;
    callbacks.curves = [&](const ModelCurves& curves) {
        m_send(eventOfRequest(
            id,
            {{"event", "model_curves"}, {"curves", toJson(curves)}, {"seconds", clock.seconds()}}));
    };
    callbacks.progress = [&](const Progress& progress) {
        m_send(eventOfRequest(id, progressEvent(progress)));
    };
    try {
        if (stop.stop_requested() || !measureWholeModel(specification, 0, callbacks, stop)) {
            status = "cancelled";
        }
    } catch (const std::exception& error) {
        status = "failed";
        message = error.what();
    }
    m_send(eventOfRequest(id, {{"event", "model_curves_finished"},
                               {"status", status},
                               {"message", message},
                               {"seconds", clock.seconds()}}));
}

void CurvesService::stop() {
    const std::scoped_lock lock(m_mutex);
    m_worker.request_stop();
}

}  // namespace cospadi::cli
