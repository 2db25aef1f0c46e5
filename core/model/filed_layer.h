// A linear layer whose weight stands in a model's file: made when it is first asked for, and again
// after it was let go, so that a model need not fit into memory. What is bfloat16, Q4_0, Q4_1 or
// Q8_0 stays so in memory; all else becomes float32 (tensor_widener.h).
//
// Every value is checked as the layer is made: NaN and infinity are a cospadi::Error naming file
// and tensor. Thread-safety: get() and denseWeight() from many threads; the rest needs exclusive
// access.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/model/linear_layer.h"
#include "core/tensors/tensor_view.h"

namespace cospadi {

class FiledLayer {
  public:
    // A weight {d2, d1}. permutedHeads as TensorWidener::add() takes them. asBfloat16: rounded, as
    // a model of that format has it.
    FiledLayer(TensorView weight, std::int64_t permutedHeads, bool asBfloat16);
    // Of no file: it stays. Not null.
    explicit FiledLayer(std::unique_ptr<LinearLayer> layer);

    // Valid until the layer is let go or exchanged.
    const LinearLayer& get() const;
    // W (d1, d2); a layer that is not there is not kept for it.
    Eigen::MatrixXf denseWeight() const;
    // Frees it, where it can be made again.
    void letGo() const;
    // Returns the one that was there; this one stays.
    std::unique_ptr<LinearLayer> exchange(std::unique_ptr<LinearLayer> layer);

  private:
    std::unique_ptr<LinearLayer> made() const;

    std::optional<TensorView> m_weight;
    std::int64_t m_heads = 0;
    bool m_asBfloat16 = false;
    mutable std::mutex m_mutex;
    mutable std::unique_ptr<LinearLayer> m_layer;
};

}  // namespace cospadi
