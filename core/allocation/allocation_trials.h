// What an allocation (allocation.h) measures of a model: the curve of every layer by its trials and
// probes, and how far the model diverges with all layers at given ratios at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/allocation/allocation.h"
#include "core/allocation/allocation_progress.h"
#include "core/allocation/curve_store.h"
#include "core/allocation/rho_curves.h"
#include "core/allocation/trial.h"
#include "core/base/thread_pool.h"
#include "core/evaluation/divergence_probe.h"

namespace cospadi {

using TrialRatios = std::map<std::string, double>;  // by layer name

class AllocationTrials {
  public:
    // As allocateRatios(); all must outlive it.
    AllocationTrials(Model& model, ThreadPool& pool, const GramSet* grams,
                     const std::vector<LayerInfo>& layers, std::span<const std::int32_t> ids,
                     std::int64_t length, const AllocationOptions& options,
                     const ProgressCallback& progress, const std::stop_token& stop);

    // False when cancelled. Saves the store of curves after every few layers.
    bool measureCurves();
    // Of a layer, once they are measured.
    const RhoCurves& curveOf(const std::string& layer) const { return m_curves.at(layer); }

    // Nats a token, of the model with all layers at these ratios, each by the ρ of its curve.
    // nullopt when cancelled.
    std::optional<double> divergenceAt(const TrialRatios& ratios);

  private:
    struct BestTrial;
    struct LayerTrial;

    std::vector<double> rhosOf(const LayerInfo& layer) const;
    std::int64_t stepsOf() const;
    void tryLayer(const LayerInfo& layer, LayerTrial& trial);
    bool probe(const LayerInfo& layer, const LayerTrial& trial);
    double expectedLoss(const TrialLayer& layer) const;
    std::optional<double> divergenceOf(const LayerInfo& layer, const BestTrial& trial, double cr);
    TrialSetting settingOf(double cr, double rho) const;
    std::optional<double> knownError(const LayerInfo& layer, const TrialSetting& at) const;
    CompressedMatrix compressed(const TrialLayer& layer, double cr, double rho) const;

    Model& m_model;
    ThreadPool& m_pool;
    TrialLayers m_trialLayers;
    std::int64_t m_inputTokens;
    const std::vector<LayerInfo>& m_layers;
    const AllocationOptions& m_options;
    const std::stop_token& m_stop;
    DivergenceProbe m_probe;
    std::string m_text;
    std::map<std::string, std::vector<double>> m_ratios;  // by layer: at which it is tried
    std::map<std::string, RhoCurves> m_curves;
    AllocationProgress m_progress;
};

}  // namespace cospadi
