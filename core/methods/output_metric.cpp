#include "core/methods/output_metric.h"

#include <utility>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

constexpr const char* kOutputMetric = "output_metric";
enum class OutputWeights { Alike, Fisher };  // as the choices

double meanOf(const Eigen::VectorXd& diagonal, const std::string& layer) {
    const double mean = diagonal.mean();
    if (!(mean > 0)) {
        throw Error("no gradient of the loss reached this layer", layer,
                    "use more calibration text, or the output metric none");
    }
    return mean;
}

double weightOf(double mean, std::int64_t tokens) { return mean / static_cast<double>(tokens); }

double shareOf(double trust) { return trust * (1 - kOutputShrinkage); }

OutputMetric diagonalMetric(Eigen::VectorXd diagonal, double trust, std::int64_t tokens,
                            const std::string& layer) {
    const double mean = meanOf(diagonal, layer);
    const double share = shareOf(trust);
    diagonal *= share / mean;
    diagonal.array() += 1 - share;
    return {Whitening::ofDiagonal(diagonal, layer), true, weightOf(mean, tokens)};
}

}  // namespace

OutputMetric outputMetric(const OutputGrams& grams, const std::string& layer, Backend& backend) {
    OutputGram gram = grams.of(layer);
    if (gram.whole.size() == 0) {
        return diagonalMetric(std::move(gram.diagonal), gram.trust, grams.tokens, layer);
    }
    const double mean = meanOf(gram.whole.diagonal(), layer);
    const double share = shareOf(gram.trust);
    gram.whole *= share / mean;
    gram.whole.diagonal().array() += 1 - share;
    return {Whitening(gram.whole, layer, backend), false, weightOf(mean, grams.tokens)};
}

OutputMetric diagonalOutputMetric(const OutputGrams& grams, const std::string& layer) {
    const OutputGram gram = grams.of(layer);
    return diagonalMetric(
        gram.whole.size() == 0 ? gram.diagonal : Eigen::VectorXd(gram.whole.diagonal()), gram.trust,
        grams.tokens, layer);
}

OutputMetric sideBySide(const std::vector<const OutputMetric*>& layers, const std::string& unit) {
    Eigen::Index columns = 0;
    for (const OutputMetric* layer : layers) {
        columns += layer->factor.gramDiagonal().size();
    }
    Eigen::VectorXd diagonal(columns);
    columns = 0;
    for (const OutputMetric* layer : layers) {
        const Eigen::VectorXd& own = layer->factor.gramDiagonal();
        diagonal.segment(columns, own.size()) = layer->weight * own;
        columns += own.size();
    }
    const double mean = meanOf(diagonal, unit);
    return {Whitening::ofDiagonal(diagonal / mean, unit), true, mean};
}

const std::vector<Option>& outputMetricOptions() {
    static const std::vector<Option> all = described(
        {{kOutputMetric,
          usualWord("none"),
          0,
          0,
          {{"none", "equal weight for every output, as published"},
           {"fisher", "by the gradients of the loss at the beginning of the calibration text"}},
          "",
          "Output metric",
          "Weight of the errors of a layer's outputs: none: equal; fisher: by their cost to the "
          "predictions, from gradients of the loss on the calibration text",
          "K-FAC, 1503.05671",
          nullptr,
          true}});
    return all;
}

bool asksForOutputMetric(const MatrixOptions& options) {
    const OptionValue& value = valueOf(outputMetricOptions().front(), options.own);
    return static_cast<OutputWeights>(std::get<OptionWord>(value).as<std::size_t>()) ==
           OutputWeights::Fisher;
}

bool usesOutputMetric(const MatrixOptions& options) {
    return options.method->uses(kOutputMetric) && asksForOutputMetric(options);
}

MatrixOptions withoutOutputMetric(MatrixOptions options) {
    options.own.erase(kOutputMetric);
    return options;
}

double outputNorm(const Eigen::MatrixXf& e, const Whitening* whitening,
                  const OutputMetric& outputs) {
    const Eigen::MatrixXf turned = whitenedIf(whitening, e).transpose();
    return static_cast<double>(outputs.factor.whitenedFromOriginal(turned).norm());
}

}  // namespace cospadi
