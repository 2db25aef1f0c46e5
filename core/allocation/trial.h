// A layer compressed on trial: by the method of the run with a short schedule, at one ratio after
// the other.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/calibration/calibration.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/output_metric.h"
#include "core/model/model.h"

namespace cospadi {

constexpr int kTrialIterations = 6;
// Where ρ is chosen: more atoms than dimensions need more of them to show what they are worth
// (docs/decisions/0014-rho-by-matrix.md).
constexpr int kRhoTrialIterations = 12;

struct TrialLayer {
    std::string name;
    Eigen::MatrixXf weight;  // W (d1, d2)
    std::optional<Whitening> whitening;
    std::optional<Whitening> heldOut;  // of inputs that are not fitted, where there are any
    std::optional<OutputMetric> outputs;
    std::optional<Eigen::VectorXd> rowFisher;  // of a method that needs gradients
};

// Layers with the factors of their Grams. Factorising one takes as long as a trial of a small
// matrix: layers that share it (q, k and v; gate and up) are neighbours, and find it made while as
// many threads as there are work on neighbours.
class TrialLayers {
  public:
    // grams: null for a method without calibration; outputs: null for one that solves in no metric
    // of the outputs. All outlive this.
    TrialLayers(const Model& model, const GramSet* grams, int threads,
                const OutputGrams* outputs = nullptr)
        : m_model(model),
          m_grams(grams),
          m_outputs(outputs),
          m_kept(static_cast<std::size_t>(threads) + 1) {}

    // Thread-safe. Errors as Whitening's.
    TrialLayer of(const LayerInfo& layer);

  private:
    struct Factor {
        std::mutex making;
        std::optional<Whitening> whitening;
        std::optional<Whitening> heldOut;
    };
    std::shared_ptr<Factor> factorOf(const std::string& gram);

    const Model& m_model;
    const GramSet* m_grams;
    const OutputGrams* m_outputs;
    std::size_t m_kept;  // factors
    std::mutex m_mutex;
    std::list<std::pair<std::string, std::shared_ptr<Factor>>> m_recent;  // by Gram, newest first
};

// What trials are compared by: the error on inputs that are not fitted, where there are any; where
// the outputs have a metric, that in both, times what errors grow by on those inputs.
double errorOfTrial(const CompressedMatrix& trial);

// On one thread. Termination::Cancelled, and no weight, where it was stopped; errors as
// compressMatrix() throws them, naming the layer.
CompressedMatrix compressedOnTrial(const TrialLayer& layer, MatrixOptions options, double cr,
                                   int iterations, const std::stop_token& stop);

}  // namespace cospadi
