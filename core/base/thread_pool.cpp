#include "core/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cospadi {

struct ThreadPool::Impl {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable done;
    const std::function<void(std::int64_t)>* task = nullptr;
    std::int64_t count = 0;
    std::uint64_t generation = 0;
    int busy = 0;
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::vector<std::jthread> workers;

    void drain() {
        for (std::int64_t i = next++; i < count; i = next++) {
            try {
                (*task)(i);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (!failure) {
                    failure = std::current_exception();
                }
                next = count;
            }
        }
    }

    void work(const std::stop_token& stop) {
        std::uint64_t seen = 0;
        std::unique_lock lock(mutex);
        while (wake.wait(lock, stop, [&] { return generation != seen; })) {
            seen = generation;
            lock.unlock();
            drain();
            lock.lock();
            if (--busy == 0) {
                done.notify_one();
            }
        }
    }
};

ThreadPool::ThreadPool(int threads) : m_impl(std::make_unique<Impl>()) {
    const int wanted = threads >= 1 ? threads : availableCores();
    for (int i = 1; i < wanted; ++i) {
        m_impl->workers.emplace_back([this](const std::stop_token& stop) { m_impl->work(stop); });
    }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threadCount() const { return static_cast<int>(m_impl->workers.size()) + 1; }

void ThreadPool::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    if (count <= 0) {
        return;
    }
    if (count == 1 || m_impl->workers.empty()) {
        for (std::int64_t i = 0; i < count; ++i) {
            task(i);
        }
        return;
    }
    {
        const std::scoped_lock lock(m_impl->mutex);
        m_impl->task = &task;
        m_impl->count = count;
        m_impl->next = 0;
        m_impl->failure = nullptr;
        m_impl->busy = static_cast<int>(m_impl->workers.size());
        ++m_impl->generation;
    }
    m_impl->wake.notify_all();
    m_impl->drain();
    std::unique_lock lock(m_impl->mutex);
    m_impl->done.wait(lock, [&] { return m_impl->busy == 0; });
    if (m_impl->failure) {
        std::rethrow_exception(m_impl->failure);
    }
}

int ThreadPool::availableCores() {
    if (const char* wish = std::getenv("COSPADI_THREADS")) {
        if (const int value = std::atoi(wish); value >= 1) {
            return value;
        }
    }
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return std::max(1, CPU_COUNT(&set));
    }
    return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace cospadi
