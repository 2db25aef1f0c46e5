#include "core/run/layer_problem.h"

#include <utility>

namespace cospadi {

Eigen::MatrixXf UnitProblem::target() const {
    const LayerProblem& first = layers.front();
    if (layers.size() == 1) {
        return first.target ? *first.target : first.weight;
    }
    Eigen::Index columns = 0;
    for (const LayerProblem& layer : layers) {
        columns += layer.weight.cols();
    }
    Eigen::MatrixXf whole(first.weight.rows(), columns);
    columns = 0;
    for (const LayerProblem& layer : layers) {
        whole.middleCols(columns, layer.weight.cols()) = layer.weight;
        columns += layer.weight.cols();
    }
    return whole;
}

const Whitening* UnitProblem::metric() const {
    const std::optional<Whitening>& metric = layers.size() == 1 ? layers.front().whitening : common;
    return metric ? &*metric : nullptr;
}

UnitProblemSource oneByOne(LayerProblemSource source) {
    return [source = std::move(source)](const LayerUnit& unit, Backend& backend) {
        UnitProblem problem;
        problem.layers.push_back(source(unit.layers.front(), backend));
        return problem;
    };
}

}  // namespace cospadi
