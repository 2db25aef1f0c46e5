// A layer's two factors while they are refined, W̃ = left · right, or those of layers that share
// their left one (methods/layer_groups.h): gradients of the weights become gradients of the
// factors.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/forms/stored_weight.h"
#include "core/refine/adam_matrix.h"

namespace cospadi {

class TrainableUnit {
  public:
    // layers: names, of one width d1. weights: theirs, with factors; the left ones are equal.
    // Throws Error naming the layer whose form has no factors.
    TrainableUnit(std::vector<std::string> layers, std::vector<StoredWeightPtr> weights);

    const std::vector<std::string>& layers() const { return m_layers; }
    // W̃ (d1, d2) of a layer, as the factors are now.
    Eigen::MatrixXf weight(ThreadPool& pool, std::size_t layer) const;
    // dW (d1, d2) of a layer.
    void addGradient(ThreadPool& pool, std::size_t layer,
                     const Eigen::Ref<const Eigen::MatrixXf>& dW);
    void move(std::int64_t step, double rate);
    // The layers' weights, rounded as their form stores them.
    std::vector<StoredWeightPtr> stored() const;

    // Left, then the layers' right factors.
    std::vector<AdamMatrix>& factors() { return m_factors; }
    const std::vector<AdamMatrix>& factors() const { return m_factors; }

  private:
    std::vector<std::string> m_layers;
    StoredWeightPtr m_form;  // one of the weights: how numbers are stored
    std::vector<AdamMatrix> m_factors;
};

}  // namespace cospadi
