// What is known of a whole model's matrices under one method and storage: of every one its error
// over CR, and what an error there costs the predictions. Plain values, as predictions are made
// from them (model_prediction.h) and as they travel between processes.
//
// Few of them are measured in full. The rest follows from what was (estimateCurves()):
//
//   level   ln e at the ratios at which the matrix itself was tried; where it was not yet, between
//           the nearest tried blocks of its kind
//   shape   how ln e goes from there to another ratio: as it does, on average, in the matrices of
//           its kind that were tried at both
//   end     trials have few iterations; where matrices of its kind were also solved in full, their
//           mean ratio of errors at that ratio takes it to the end
//   cost    KL = a e²: a from its own probe, else one under another method, else between the
//           nearest probed blocks of its kind. That is of a trial by itself, at the ratio that all
//           are probed at; errors of a kind go on along the depth, and what is left of them at
//           another ratio, or at the end, costs more or less: a is as much larger as all matrices
//           of the kind at once cost more than their sum, in which that was measured
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/allocation/allocation_curve.h"
#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

class CurveStore;

struct LayerPoint {
    double cr = 0;
    double error = 0;  // relative, at the end
    double cost = 0;   // a: nats a token at an error of 1
};

struct LayerCurve {
    std::string name;
    std::string kind;
    std::int64_t block = 0;
    std::int64_t d1 = 0, d2 = 0;
    std::vector<LayerPoint> points;  // over growing CR; at least one
    bool isTried = false;            // itself, at one ratio at least
    bool isProbed = false;
};

// Of the points, for what lies between them.
AllocationCurve errorCurve(const LayerCurve& curve);
// The same of √(a e²), so that what more bytes cost does not grow either.
AllocationCurve costCurve(const LayerCurve& curve);

// The whole model at once, on trial: what costs that are summed up come to.
struct CurveAnchor {
    double divergence = 0;  // Σ a e² of these trials
    double loss = 0;        // nats a token by which the loss on the text really rose
};

struct ModelCurves {
    std::vector<LayerCurve> layers;    // forward order
    std::vector<CurveAnchor> anchors;  // over growing divergence
    bool isComplete = false;           // nothing is left to measure
    bool isSettled = false;            // errors are those of whole solves
    // Of the model as it is, on a text that nothing here was measured on; 0 while unknown.
    double densePerplexity = 0;
    std::string densePerplexityText;  // "wikitext2"
    std::int64_t densePerplexityTokens = 0;
    double otherBytes = 0;  // of what is no layer: embedding, norms, biases, as bfloat16
};

// From what the store holds for these layers, under the options' ρ. No layers where of some kind
// that can be tried nothing is known yet. wholeTrial: of the anchors (wholeTrialKey()).
ModelCurves estimateCurves(const std::vector<LayerInfo>& layers, const MatrixOptions& options,
                           const CurveStore& store, const std::string& wholeTrial);

nlohmann::json toJson(const ModelCurves& curves);
// Throws Error naming the field that is missing or of another type.
ModelCurves modelCurvesFromJson(const nlohmann::json& object);

}  // namespace cospadi
