// The engine's requests about single matrices (docs/formats.md): `portrait` and `explore`. They
// have a thread of their own, so that a look at a matrix does not wait for a run to end; the
// matrices that were asked for last stay in memory. A new exploration ends the one before.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/explore/explore.h"

namespace cospadi {
struct RunSpecification;
}

namespace cospadi::cli {

struct Exploration {
    nlohmann::json request;  // its id; every event says so
    int number = 0;
};

class ExploreService {
  public:
    using Send = std::function<void(const nlohmann::json& message)>;  // from any thread

    explicit ExploreService(Send send);
    ~ExploreService();  // stops what is going on
    ExploreService(const ExploreService&) = delete;
    ExploreService& operator=(const ExploreService&) = delete;

    // Throw cospadi::Error or a json exception where the request is wrong; else answered later.
    void portrait(const nlohmann::json& id, const nlohmann::json& params);
    void explore(const nlohmann::json& id, const nlohmann::json& params);
    void stopExploring();

  private:
    struct Task {
        std::function<void()> execute;
        nlohmann::json id;  // of the request; told the error where execute() throws
    };

    void enqueue(Task task);
    void work(const std::stop_token& quit);
    std::shared_ptr<MatrixExplorer> explorerOf(const RunSpecification& specification,
                                               const std::string& layer);
    // Opens the layers one after the other: all settings at hand first, then the curves.
    Termination exploreAll(const RunSpecification& specification,
                           const std::vector<std::string>& layers, const ExploreRequest& request,
                           const Exploration& exploration, const std::stop_token& stop);

    Send m_send;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Task> m_tasks;
    std::stop_source m_exploring;  // of the latest exploration, waiting or at work
    int m_explorations = 0;
    // By model, layer and calibration, the latest first; the worker's alone.
    std::list<std::pair<std::string, std::shared_ptr<MatrixExplorer>>> m_warm;
    std::jthread m_worker;  // last: it uses the others
};

}  // namespace cospadi::cli
