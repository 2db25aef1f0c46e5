#include "core/run/layer_problem.h"

#include <utility>

namespace cospadi {

const Eigen::MatrixXf& UnitProblem::target() const {
    const LayerProblem& first = layers.front();
    return layers.size() > 1 ? whole : first.target ? *first.target : first.weight;
}

const Whitening* UnitProblem::metric() const {
    const std::optional<Whitening>& metric = layers.size() == 1 ? layers.front().whitening : common;
    return metric ? &*metric : nullptr;
}

const OutputMetric* UnitProblem::outputs() const {
    const std::optional<OutputMetric>& metric =
        layers.size() == 1 ? layers.front().outputs : commonOutputs;
    return metric ? &*metric : nullptr;
}

std::vector<UnitPart> UnitProblem::parts() const {
    std::vector<UnitPart> parts;
    for (const LayerProblem& layer : layers) {
        parts.push_back({overOutputs ? layer.weight.rows() : layer.weight.cols(),
                         layer.whitening ? &*layer.whitening : nullptr,
                         layer.outputs ? &*layer.outputs : nullptr, layer.cost});
    }
    return layers.size() > 1 ? parts : std::vector<UnitPart>();
}

const Whitening* UnitProblem::heldOut() const {
    const std::optional<Whitening>& metric =
        layers.size() == 1 ? layers.front().heldOut : commonHeldOut;
    return metric ? &*metric : nullptr;
}

std::optional<Eigen::VectorXd> UnitProblem::rowFisher() const {
    std::optional<Eigen::VectorXd> sum = layers.front().rowFisher;
    for (std::size_t i = 1; sum && i < layers.size(); ++i) {
        *sum += *layers[i].rowFisher;
    }
    return sum;
}

Eigen::MatrixXf sideBySideOf(const std::vector<LayerProblem>& layers) {
    Eigen::Index columns = 0;
    for (const LayerProblem& layer : layers) {
        columns += layer.weight.cols();
    }
    Eigen::MatrixXf whole(layers.front().weight.rows(), columns);
    columns = 0;
    for (const LayerProblem& layer : layers) {
        whole.middleCols(columns, layer.weight.cols()) = layer.weight;
        columns += layer.weight.cols();
    }
    return whole;
}

Eigen::MatrixXf stackedOf(const std::vector<LayerProblem>& layers) {
    Eigen::Index rows = 0;
    for (const LayerProblem& layer : layers) {
        rows += layer.weight.rows();
    }
    Eigen::MatrixXf whole(rows, layers.front().weight.cols());
    rows = 0;
    for (const LayerProblem& layer : layers) {
        whole.middleRows(rows, layer.weight.rows()) = layer.weight;
        rows += layer.weight.rows();
    }
    return whole;
}

UnitProblemSource oneByOne(LayerProblemSource source) {
    return [source = std::move(source)](const LayerUnit& unit, Backend& backend) {
        UnitProblem problem;
        problem.layers.push_back(source(unit.layers.front(), backend));
        return problem;
    };
}

}  // namespace cospadi
