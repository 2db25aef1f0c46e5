// The engine's request `model_curves` (docs/formats.md): the curves of a whole model, as they come
// in. A thread of its own, so that they do not wait for a run; a new request ends the one before,
// which is answered all the same.
#pragma once

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>

namespace cospadi {
struct RunSpecification;
}

namespace cospadi::cli {

class CurvesService {
  public:
    using Send = std::function<void(const nlohmann::json& message)>;  // from any thread

    explicit CurvesService(Send send) : m_send(std::move(send)) {}
    ~CurvesService() { stop(); }
    CurvesService(const CurvesService&) = delete;
    CurvesService& operator=(const CurvesService&) = delete;

    // Throws cospadi::Error or a json exception where the request is wrong; else answered at once,
    // then events up to `model_curves_finished`.
    void measure(const nlohmann::json& id, const nlohmann::json& params);
    void stop();

  private:
    void work(const nlohmann::json& id, const RunSpecification& specification,
              const std::stop_token& stop);

    Send m_send;
    std::mutex m_mutex;
    std::jthread m_worker;  // last: it uses the others
};

}  // namespace cospadi::cli
