#include "app/cli/engine_jobs.h"

#include "app/cli/engine_messages.h"

namespace cospadi::cli {

EngineJobs::EngineJobs() : m_worker([this](const std::stop_token& quit) { work(quit); }) {}

EngineJobs::~EngineJobs() {
    cancelAll();
    m_worker.request_stop();
    m_wake.notify_all();
}

void EngineJobs::add(const std::shared_ptr<EngineJob>& job) {
    {
        const std::scoped_lock lock(m_mutex);
        if (!job->name.empty()) {
            m_named[job->name] = job;
        }
        m_waiting.push_back(job);
    }
    m_wake.notify_one();
}

std::shared_ptr<EngineJob> EngineJobs::find(const std::string& name) {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_named.find(name);
    return found == m_named.end() ? nullptr : found->second.lock();
}

void EngineJobs::forget(const std::string& name) {
    const std::scoped_lock lock(m_mutex);
    m_named.erase(name);
}

void EngineJobs::cancelAll() {
    std::deque<std::shared_ptr<EngineJob>> waiting;
    {
        const std::scoped_lock lock(m_mutex);
        waiting.swap(m_waiting);
        for (const auto& job : waiting) {
            m_named.erase(job->name);
        }
        if (m_current) {
            m_current->stop.request_stop();
        }
    }
    for (const auto& job : waiting) {
        job->refuse(notBegun());
    }
}

void EngineJobs::work(const std::stop_token& quit) {
    for (;;) {
        std::shared_ptr<EngineJob> job;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, quit, [this] { return !m_waiting.empty(); })) {
                return;
            }
            job = m_waiting.front();
            m_waiting.pop_front();
            m_current = job;
        }
        job->execute(*job);
        const std::scoped_lock lock(m_mutex);
        m_current.reset();
    }
}

}  // namespace cospadi::cli
