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
        doubts.push_back(Phrase{"the curves of %1 of %2 matrices are taken from their neighbours",
                                {std::to_string(basis.guessed), std::to_string(basis.counted)}});
    }
    if (basis.unprobed > basis.guessed) {
        doubts.push_back(Phrase{
            "the cost of errors of %1 of %2 matrices was measured with another method or storage",
            {std::to_string(basis.unprobed), std::to_string(basis.counted)}});
    }
    if (curves.anchors.empty()) {
        doubts.push_back(Phrase{
            "the whole model has not been tried yet: costs of single matrices are added up"});
    } else if (prediction.divergence > kLargestBeyondAnchor * curves.anchors.back().divergence) {
        doubts.push_back(Phrase{"diverges further than any trial of the whole model"});
    }
    if (!curves.isSettled && options.method->uses("iterations")) {
        doubts.push_back(
            Phrase{"errors are those after six iterations; full solves reach lower ones"});
    }
    if (prediction.loss > kLargestTrustedLoss) {
        doubts.push_back(
            Phrase{"beyond a loss of 1 nat per token small error differences have large effects"});
    }
    if (static_cast<double>(basis.outermost) >
        kOutermostShare * static_cast<double>(basis.counted)) {
        doubts.push_back(basis.outermost == 1 ? Phrase{"1 matrix is at the largest ratio tried"}
                                              : Phrase{"%1 matrices are at the largest ratio tried",
                                                       {std::to_string(basis.outermost)}});
    }
    if (curves.densePerplexity <= 0) {
        doubts.push_back(
            Phrase{"the perplexity of the uncompressed model has not been measured yet"});
    }
    return doubts;
}

}  // namespace cospadi
