// What compressing a whole model will come to, from its curves (model_curves.h): which matrix
// should have which ratio for a target, in which bytes, and what that costs the predictions.
//
// Costs of matrices add up, Σ a e², and where the whole model was measured at once its sums are
// held against that (anchored_loss.h). Perplexity is that of the model as it is times exp(loss).
//
// Bytes are shared as the knapsack shares them (budget_choice.h), over the ratios that were tried
// and between them, in steps of a percent; what is pinned, left out or has a limit keeps it. More
// bytes are never predicted to cost more, whatever is pinned. A query of some 200 matrices takes a
// few milliseconds; a predictor is made once for all of them. Thread-safety: const functions from
// any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/allocation/budget_choice.h"
#include "core/allocation/model_curves.h"
#include "core/base/phrase.h"

namespace cospadi {

struct PredictionTarget {
    double cr = 0.2;                     // of the matrices that are not left out, together; or
    std::optional<double> bytes;         // … of the whole model: these, the others, and the rest
    bool uniform = false;                // the same ratio for all that is not pinned
    std::map<std::string, double> pins;  // layer: its ratio
    std::map<std::string, double> limits;  // layer: at most this ratio
    std::set<std::string> excluded;        // layers that stay as they are
};

struct LayerPrediction {
    std::string name;
    double cr = 0;  // 0: left out
    double error = 0;
    double divergence = 0;  // nats a token, of it alone
    double bytes = 0;
};

struct Prediction {
    std::vector<LayerPrediction> layers;  // in the curves' order, those left out among them
    double bytes = 0;                     // of the matrices that are not left out
    double denseBytes = 0;                // of the same, as bfloat16
    double modelBytes = 0;  // of the whole model: these, the others as bfloat16, and the rest
    double divergence = 0;  // Σ
    double loss = 0;        // nats a token
    double perplexity = 0;  // 0 where that of the model as it is is unknown
    // By how much the loss falls with another megabyte (10⁶) for the matrices.
    double gainPerMegabyte = 0;
    std::vector<Phrase> doubts;  // why not to rely on it; empty where there is no reason

    double cr() const { return denseBytes > 0 ? 1 - bytes / denseBytes : 0; }
};

class ModelPredictor {
  public:
    // options: method and storage that the curves belong to. Throws Error where the method has no
    // compression ratio.
    ModelPredictor(ModelCurves curves, const MatrixOptions& options);

    const ModelCurves& curves() const { return m_curves; }

    // Throws Error naming the layer, or the target, where there is no answer: a layer that there is
    // not, a ratio outside what was tried, fewer bytes than the smallest forms take.
    Prediction predict(const PredictionTarget& target) const;

    // Of a whole-model sum: nats a token by which the loss rises.
    double lossOf(double divergence) const;

    double smallestRatio() const;  // between which a uniform ratio may lie
    double largestRatio() const;

  private:
    struct Offer {
        double cr = 0;
        double error = 0;
        BudgetChoice choice;
    };
    struct Layer {
        AllocationCurve errors, costs;  // costs: √(a e²)
        double denseBytes = 0;
        std::vector<Offer> offers;  // over growing ratios
    };

    std::vector<bool> countedIn(const PredictionTarget& target) const;
    Offer offerAt(std::size_t layer, double cr) const;
    static Offer offerOf(const Layer& layer, double cr, double bytes);
    // Of every layer; of one that is left out an empty one.
    std::vector<Offer> shared(const PredictionTarget& target, const std::vector<bool>& counts,
                              double budget) const;
    std::vector<Offer> atRatio(const PredictionTarget& target, const std::vector<bool>& counts,
                               double cr) const;
    double uniformRatioFor(const PredictionTarget& target, const std::vector<bool>& counts,
                           double budget) const;
    Prediction told(const std::vector<Offer>& chosen, const std::vector<bool>& counts) const;
    std::vector<Phrase> doubts(const Prediction& prediction, const std::vector<bool>& counts) const;

    ModelCurves m_curves;
    MatrixOptions m_options;
    std::vector<Layer> m_layers;
};

}  // namespace cospadi
