#include "core/allocation/prediction_doubts.h"

#include <string>

#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr double kLargestTrustedLoss = 1;     // nats a token
constexpr double kLargestBeyondAnchor = 1.5;  // times the largest sum that was measured whole
constexpr double kOutermostShare = 0.1;

}  // namespace

std::vector<Phrase> doubtsOf(const Prediction& prediction, const ModelCurves& curves,
                             const MatrixOptions& options, const PredictionBasis& basis) {
    std::vector<Phrase> doubts;
    if (basis.guessed > 0) {
        doubts.push_back(Phrase{"the curves of %1 of %2 matrices are those of their neighbours",
                                {std::to_string(basis.guessed), std::to_string(basis.counted)}});
    }
    if (basis.unprobed > basis.guessed) {
        doubts.push_back(Phrase{
            "what errors of %1 of %2 matrices cost was measured under another method or storage",
            {std::to_string(basis.unprobed), std::to_string(basis.counted)}});
    }
    if (curves.anchors.empty()) {
        doubts.push_back(Phrase{
            "the whole model has not been tried yet: costs of single matrices are summed up"});
    } else if (prediction.divergence > kLargestBeyondAnchor * curves.anchors.back().divergence) {
        doubts.push_back(
            Phrase{"further from the model than anything that was tried on the whole of it"});
    }
    if (!curves.isSettled && options.method->uses("iterations")) {
        doubts.push_back(Phrase{"errors are those of six iterations; whole solves end lower"});
    }
    if (prediction.loss > kLargestTrustedLoss) {
        doubts.push_back(
            Phrase{"beyond a loss of 1 nat a token small differences in error decide over much"});
    }
    if (static_cast<double>(basis.outermost) >
        kOutermostShare * static_cast<double>(basis.counted)) {
        doubts.push_back(basis.outermost == 1
                             ? Phrase{"1 matrix stands at the largest ratio that was tried"}
                             : Phrase{"%1 matrices stand at the largest ratio that was tried",
                                      {std::to_string(basis.outermost)}});
    }
    if (curves.densePerplexity <= 0) {
        doubts.push_back(Phrase{"the perplexity of the model as it is has not been measured yet"});
    }
    return doubts;
}

}  // namespace cospadi
