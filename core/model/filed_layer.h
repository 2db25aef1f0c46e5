// A linear layer whose weight stands in a file: made when it is first asked for, and again after it
// was let go, so that a model need not fit into memory.
//
// Thread-safety: get() and denseWeight() from many threads; the rest needs exclusive access.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/model/linear_layer.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

// Of a weight {d2, d1} of a model's file. What is bfloat16, Q4_0, Q4_1 or Q8_0 stays so in memory;
// all else becomes float32. permutedHeads as TensorWidener::add() takes them. asBfloat16: rounded,
// as a model of that format has it. Every value is checked as the layer is made: NaN and infinity
// are a cospadi::Error naming file and tensor.
MakeLayer fromFile(TensorView weight, std::int64_t permutedHeads, bool asBfloat16);

class FiledLayer {
  public:
    explicit FiledLayer(MakeLayer make);

    // Valid until the layer is let go or replaced.
    const LinearLayer& get() const;
    // W (d1, d2); a layer that is not there is not kept for it.
    Eigen::MatrixXf denseWeight() const;
    // Frees it, where it can be made again.
    void letGo() const;
    // Returns the one that was there; this one stays.
    std::unique_ptr<LinearLayer> exchange(std::unique_ptr<LinearLayer> layer);

  private:
    MakeLayer m_make;  // empty: it stays
    mutable std::mutex m_mutex;
    mutable std::unique_ptr<LinearLayer> m_layer;
};

}  // namespace cospadi
