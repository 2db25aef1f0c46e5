#include "core/run/layers_at_once.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace cospadi {

void runLayersAtOnce(std::size_t layers, const RunBackends& backends, const LayerWork& work) {
    const int cores = backends.cores();
    const int jobs =
        std::max(1, std::min<int>(backends.matricesAtOnce(), static_cast<int>(layers)));
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failureMutex;
    std::atomic<bool> failed{false};
    {
        std::vector<std::jthread> workers;
        for (int job = 0; job < jobs; ++job) {
            workers.emplace_back([&, job] {
                WorkerBackends worker;
                worker.threads = std::max(1, cores / jobs + (job < cores % jobs ? 1 : 0));
                for (std::size_t i = next++; i < layers && !failed; i = next++) {
                    try {
                        if (!work(i, worker)) {
                            return;
                        }
                    } catch (...) {
                        const std::scoped_lock lock(failureMutex);
                        failed = true;
                        failure = failure ? failure : std::current_exception();
                    }
                }
            });
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace cospadi
