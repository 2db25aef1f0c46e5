// A layer's two factors while they are refined, W̃ = left · right, or those of layers that share
// their left one (methods/layer_groups.h): gradients of the weights become gradients of the
// factors. Layers that share over their outputs are so as transposes, W̃ᵀ = rightᵀ · leftᵀ.
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
    // layers: names. weights: theirs, with factors; of several one of both is equal.
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

    // The one that is shared, then the layers' own.
    std::vector<AdamMatrix>& factors() { return m_factors; }
    const std::vector<AdamMatrix>& factors() const { return m_factors; }

  private:
    // Of the shared factor and the layer's own, of which dW is the product's.
    void addFactorGradients(ThreadPool& pool, std::size_t layer,
                            const Eigen::Ref<const Eigen::MatrixXf>& dW);

    std::vector<std::string> m_layers;
    StoredWeightPtr m_form;  // one of the weights: how numbers are stored
    bool m_transposed;       // what is shared spans the outputs
    std::vector<AdamMatrix> m_factors;
};

}  // namespace cospadi
