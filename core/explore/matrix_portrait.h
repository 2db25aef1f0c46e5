// A look at a single matrix of a model: its weights as a histogram, its spectrum plain and (where a
// Gram is cached) whitened. Reads that matrix and that Gram alone, so that it is quick for a model
// of any size.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/linalg/whitening.h"
#include "core/model/layer_info.h"
#include "core/store/run_specification.h"

namespace cospadi {

// One layer with what is needed to compress it.
struct MatrixAtHand {
    LayerInfo info;
    Eigen::MatrixXf weight;              // W (d1, d2)
    std::optional<Whitening> whitening;  // where the Gram of these calibration settings is cached
    std::string gramAbsence;             // why there is no whitening; empty where there is
    std::optional<Eigen::VectorXd> rowFisher{};  // as MatrixProblem has it; where it is cached
};

// model and calibration of the specification count, the rest does not. Throws Error where the model
// or the layer cannot be read, or the calibration text is missing.
MatrixAtHand readMatrixAtHand(const RunSpecification& specification, const std::string& layer);

struct Histogram {
    double low = 0;  // of the first bin; NaN-free weights only
    double high = 0;
    std::vector<std::int64_t> counts;  // bins of equal width
};

Histogram histogramOf(const Eigen::Ref<const Eigen::MatrixXf>& values, int bins);

struct MatrixPortrait {
    double mean = 0;
    double deviation = 0;
    double least = 0;
    double greatest = 0;
    std::int64_t zeros = 0;
    Histogram histogram;
    std::vector<double> singularValues;  // of W
    std::vector<double> whitenedValues;  // of L W; empty without whitening
};

MatrixPortrait portraitOf(const MatrixAtHand& matrix);

}  // namespace cospadi
