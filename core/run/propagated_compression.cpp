#include "core/run/propagated_compression.h"

#include <algorithm>
#include <array>

#include "core/calibration/propagated_inputs.h"
#include "core/linalg/whitenings_by_key.h"
#include "core/methods/propagation_target.h"

namespace cospadi {

namespace {

// Of the correction, in mean diagonals of the Gram: see docs/decisions/0003-error-propagation.md.
constexpr double kShrinkage = 1e-3;

constexpr std::array kStages = {BlockStage::QueryKeyValue, BlockStage::AttentionOutput,
                                BlockStage::GateUp, BlockStage::Down};

// What the layers of a stage are solved and measured in.
struct StageMetrics {
    const LayerInputs& inputs;
    WhiteningsByKey factors;  // two keys
};
constexpr const char* kFitted = "fitted";
constexpr const char* kHeldOut = "held out";

class Propagation {
  public:
    Propagation(Model& model, ThreadPool& pool, const std::vector<LayerInfo>& layers,
                const CalibrationOptions& text, bool correctWeights, bool sharesFactors,
                const PropagationSteps& steps, const std::stop_token& stop,
                DeviceProducts* products)
        : m_model(model),
          m_layers(layers),
          m_correctWeights(correctWeights),
          m_sharesFactors(sharesFactors),
          m_steps(steps),
          m_stop(stop),
          m_inputs(model, pool, sampleSequences(model.tokenizer(), text), text.length,
                   correctWeights, products, text.heldOut) {}

    bool run() {
        if (std::all_of(m_layers.begin(), m_layers.end(), m_steps.finished)) {
            return true;
        }
        for (std::int64_t block = 0; block <= m_layers.back().block; ++block) {
            if (!runBlock(block)) {
                return false;
            }
        }
        return true;
    }

  private:
    bool runBlock(std::int64_t block) {
        if (!m_inputs.begin(block, m_stop)) {
            return false;
        }
        for (const BlockStage stage : kStages) {
            if (!runStage(block, stage)) {
                return false;
            }
        }
        return block == m_layers.back().block || m_inputs.finish(m_stop);
    }

    bool runStage(std::int64_t block, BlockStage stage) {
        std::vector<LayerInfo> fed;
        std::vector<LayerInfo> missing;
        for (const LayerInfo& layer : m_layers) {
            if (layer.block == block && stageOf(layer.kind) == stage) {
                fed.push_back(layer);
                if (!m_steps.finished(layer)) {
                    missing.push_back(layer);
                }
            }
        }
        if (!missing.empty()) {
            const std::optional<LayerInputs> inputs = m_inputs.inputs(stage, m_stop);
            if (!inputs) {
                return false;
            }
            StageMetrics metrics{*inputs, {}};
            for (std::size_t i = 0; i < missing.size(); ++i) {
                metrics.factors.expect(kFitted);
                metrics.factors.expect(kHeldOut);
            }
            const auto source = [&](const LayerInfo& layer, Backend& backend) {
                return problem(layer, metrics, backend);
            };
            if (!m_steps.compress(missing, source)) {
                return false;
            }
        }
        for (const LayerInfo& layer : fed) {
            m_model.replaceLayer(layer.name, m_steps.stored(layer));
        }
        return true;
    }

    LayerProblem problem(const LayerInfo& layer, StageMetrics& metrics, Backend& backend) const {
        const LayerInputs& inputs = metrics.inputs;
        const auto fitted = [&] { return Whitening(inputs.gram, layer.name, backend); };
        const auto heldOut = [&] {
            return Whitening::forMeasuring(inputs.heldOutGram, layer.name, backend);
        };
        LayerProblem problem{m_model.weight(layer.name), std::nullopt,
                             m_sharesFactors ? metrics.factors.of(kFitted, fitted) : fitted()};
        if (inputs.heldOutGram.size() > 0) {
            problem.heldOut = m_sharesFactors ? metrics.factors.of(kHeldOut, heldOut) : heldOut();
        }
        if (m_correctWeights) {
            problem.target = propagationTarget(problem.weight, inputs, kShrinkage);
        }
        return problem;
    }

    Model& m_model;
    const std::vector<LayerInfo>& m_layers;
    bool m_correctWeights;
    bool m_sharesFactors;
    const PropagationSteps& m_steps;
    const std::stop_token& m_stop;
    PropagatedInputs m_inputs;
};

}  // namespace

bool compressAlongForwardPass(Model& model, ThreadPool& pool, const std::vector<LayerInfo>& layers,
                              const CalibrationOptions& text, bool correctWeights,
                              bool sharesFactors, const PropagationSteps& steps,
                              const std::stop_token& stop, DeviceProducts* products) {
    return Propagation(model, pool, layers, text, correctWeights, sharesFactors, steps, stop,
                       products)
        .run();
}

}  // namespace cospadi
