// Work of `cospadi engine` that takes turns: runs, evaluations, calibrations, fetches, one after
// another on a thread of their own, in the order in which they were asked for.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>

#include "core/base/error.h"
#include "core/run/run_events.h"

namespace cospadi::cli {

// Takes an event of the request that a job works at, from any thread.
using SendEvent = std::function<void(nlohmann::json event)>;

// execute() answers the request, whatever happens; it throws nothing.
struct EngineJob {
    nlohmann::json request;  // id of the one that asked for it
    std::string name;  // of its run, or as who asked called it; empty: it cannot be controlled
    std::stop_source stop;
    PauseGate gate;
    std::function<void(EngineJob&)> execute;
    std::function<void(const Error&)> refuse;  // instead, where it is not to begin any more
};

class EngineJobs {
  public:
    EngineJobs();
    ~EngineJobs();  // as cancelAll(), and waits for the one that goes on
    EngineJobs(const EngineJobs&) = delete;
    EngineJobs& operator=(const EngineJobs&) = delete;

    void add(const std::shared_ptr<EngineJob>& job);
    // One that goes on or waits; else null.
    std::shared_ptr<EngineJob> find(const std::string& name);
    // It is as good as over: who hears of its end may ask for it again.
    void forget(const std::string& name);
    // Stops the one that goes on and refuses those that wait: nobody may wait for an answer that
    // never comes. From any thread.
    void cancelAll();

  private:
    void work(const std::stop_token& quit);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<std::shared_ptr<EngineJob>> m_waiting;
    std::map<std::string, std::weak_ptr<EngineJob>> m_named;
    std::shared_ptr<EngineJob> m_current;
    std::jthread m_worker;  // last: it uses the others
};

}  // namespace cospadi::cli
