// From tensors as they stand in a file to float32 tensors in memory: collected first, then widened
// all at once by a thread pool. Float32 tensors that are aligned in their file stay mapped.
//
// Every value is checked: NaN and infinity are a cospadi::Error naming file and tensor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

// A float32 tensor: own memory, or a mapped file's.
struct FloatTensor {
    std::shared_ptr<const void> owner;
    const float* data = nullptr;
    std::int64_t count = 0;
};

// Of a tensor with values that are no finite numbers.
Error damagedWeights(const TensorView& view);

class TensorWidener {
  public:
    // The memory is there at once, its values after run(). The view must outlive run().
    // permutedHeads: heads whose rows (elements, for a vector) llama.cpp interleaved for its rope,
    // brought back to the Hugging Face order; 0 where rows are in order.
    FloatTensor add(const TensorView& view, std::int64_t permutedHeads = 0);

    void run(ThreadPool& pool) const;
    void run() const;  // in this thread

  private:
    struct Job {
        const TensorView* view;
        float* target;  // null: nothing to widen, the mapped values are only checked
        std::int64_t heads;

        std::int64_t rows() const { return view->shape.size() > 1 ? view->shape[0] : 1; }
        void widenRow(std::int64_t row) const;
    };

    std::vector<Job> m_jobs;
};

}  // namespace cospadi
