// From weights as they stand in a file to layers in memory: collected first, then made all at once
// by a thread pool. What is bfloat16, Q4_0, Q4_1 or Q8_0 stays so; all else becomes float32
// (tensor_widener.h).
//
// Every value is checked: NaN and infinity are a cospadi::Error naming file and tensor.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/linear_layer.h"
#include "core/model/tensor_widener.h"

namespace cospadi {

class LayerLoader {
  public:
    // asBfloat16: all weights become bfloat16, rounded, as a model of that format has them.
    LayerLoader(TensorWidener& widener, bool asBfloat16)
        : m_widener(widener), m_asBfloat16(asBfloat16) {}

    // A weight {d2, d1} of a file; the layer is there after run(), of the widener first. The view
    // and `layer` must outlive it. permutedHeads as TensorWidener::add() takes them.
    void add(const TensorView& view, std::int64_t permutedHeads,
             std::unique_ptr<LinearLayer>& layer);
    void run(ThreadPool& pool) const;

  private:
    struct Job {
        const TensorView* view;
        std::int64_t heads;
        std::unique_ptr<LinearLayer>* layer;

        std::unique_ptr<LinearLayer> make(bool asBfloat16) const;
    };

    TensorWidener& m_widener;
    bool m_asBfloat16;
    std::vector<Job> m_jobs;
};

}  // namespace cospadi
