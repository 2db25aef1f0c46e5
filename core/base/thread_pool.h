// A fixed set of threads that share the tasks of one loop at a time.
//
// The engine keeps BLAS single-threaded and splits work itself, into blocks whose size does not
// depend on the number of threads: results are then bit-identical whatever the thread count.
// Thread-safety: one run() at a time per pool; tasks must not call run() of the same pool.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace cospadi {

class ThreadPool {
  public:
    // threads < 1 means one per available core (or COSPADI_THREADS where it is set).
    explicit ThreadPool(int threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threadCount() const;

    // Calls task(0) … task(count-1), each once, in any order; the caller works too. Returns when
    // all are done. The first exception of a task is rethrown here, after the others have stopped.
    void run(std::int64_t count, const std::function<void(std::int64_t)>& task);

    static int availableCores();
    static int wishedThreads();  // COSPADI_THREADS; 0 where it holds no number of threads

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
