#include "core/dictionary/metric_layer.h"

namespace cospadi {

Eigen::MatrixXf sideBySide(const std::vector<MetricLayer>& layers) {
    Eigen::Index columns = 0;
    for (const MetricLayer& layer : layers) {
        columns += layer.weight.cols();
    }
    Eigen::MatrixXf whole(layers.front().weight.rows(), columns);
    columns = 0;
    for (const MetricLayer& layer : layers) {
        whole.middleCols(columns, layer.weight.cols()) = layer.weight;
        columns += layer.weight.cols();
    }
    return whole;
}

}  // namespace cospadi
