// A rule by which a run's bytes are shared between its layers: layers and the bytes that one
// uniform ratio would cost go in, a compression ratio for every layer comes out. A new one is a
// class of AllocationRule, a line in allocation_rules.cpp, and its words in
// core/methods/allocation_words.cpp; run, command line and window ask these and know no rule by
// name.
//
//   uniform     every layer the same ratio: nothing is measured
//   knapsack    trials, and probes of what errors cost the predictions      (allocation.h)
//   svd-llm-v2  discarded singular values of W_L, among layers of a kind    (svd_llm_v2_rule.h)
//   compot      one cut through the singular values of all W / ‖W‖          (compot_rule.h)
//   rocket      trials, a dynamic programme over the weights' own errors    (rocket_rule.h)
//
// What every rule keeps: no ratio without a storable form, and the planned bytes (budgetBytes())
// of all layers together are at most those of the uniform ratio, short of them by what rounding to
// whole atoms or the rule's own steps leave.
//
// Thread-safety: immutable; all functions may be called from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/calibration/output_grams.h"
#include "core/methods/allocation_words.h"
#include "core/methods/matrix_options.h"
#include "core/model/model.h"

namespace cospadi {

class CurveStore;

// What has to be there before a rule begins, and what it then works.
struct AllocationNeeds {
    bool grams = false;    // of the layers' inputs
    bool spectra = false;  // all singular values of every layer's weight
    int trials = 0;        // short solves a layer, by the method of the run
    // Of these, those that are made at every candidate where ρ is to be chosen, all then of
    // kRhoTrialIterations; 0: the rule does not choose it.
    int rhoTrials = 0;
    bool probes = false;  // text, other than that of the Grams, to run through the model
};

struct AllocationProblem {
    Model& model;  // as before afterwards
    ThreadPool& pool;
    const GramSet* grams;                  // null for a method without calibration
    const std::vector<LayerInfo>& layers;  // those that share the bytes, at least one
    const MatrixOptions& options;          // of every layer; its cr is the uniform ratio
    std::span<const std::int32_t> ids;     // of probes: whole sequences …
    std::int64_t length = 0;               // … of so many tokens
    // What every layer's ρ may be; none: that of the options for all (rho_choice.h).
    std::vector<double> rhos = {};
    // Trials and probes of before, which need not be made again; or null (curve_store.h).
    CurveStore* curves = nullptr;
    // Gradients, where the method solves in a metric of the outputs: its trials do so, too, and
    // what an error costs follows from them in the place of probes. Else null.
    const OutputGrams* outputs = nullptr;
};

struct LayerRatios {
    std::map<std::string, double> ratios;  // CR by layer name
    std::map<std::string, double> rhos;    // chosen ones; empty where the rule chooses none
    // What the rule went by: of every layer, and of all together. Objects, as allocation.json has
    // them (docs/formats.md).
    std::map<std::string, nlohmann::json> layers;
    nlohmann::json model = nlohmann::json::object();
    std::string warning;  // what a user should know; empty where all went as it should
};

class AllocationRule {
  public:
    // name: one of allocationWords().
    explicit AllocationRule(const char* name) : m_words(&allocationWordsOf(name)) {}
    virtual ~AllocationRule() = default;
    AllocationRule(const AllocationRule&) = delete;
    AllocationRule& operator=(const AllocationRule&) = delete;

    const char* name() const { return m_words->name; }
    const AllocationWords& words() const { return *m_words; }
    virtual AllocationNeeds needs() const = 0;

    // nullopt when cancelled. Progress counts steps of equal kind, stage "allocation". Throws Error
    // as compressMatrix() does, and as Method::plan() where a layer has no form at the uniform
    // ratio.
    virtual std::optional<LayerRatios> allocate(const AllocationProblem& problem,
                                                const ProgressCallback& progress,
                                                const std::stop_token& stop) const = 0;

  private:
    const AllocationWords* m_words;
};

const std::vector<const AllocationRule*>& allocationRules();  // in the order of allocationWords()
const AllocationRule& uniformRule();
const AllocationRule& allocationFromName(const std::string& name);  // throws Error listing them

}  // namespace cospadi
