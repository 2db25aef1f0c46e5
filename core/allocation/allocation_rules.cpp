#include "core/allocation/allocation_rule.h"
#include "core/allocation/compot_rule.h"
#include "core/allocation/knapsack_rule.h"
#include "core/allocation/rocket_rule.h"
#include "core/allocation/svd_llm_v2_rule.h"
#include "core/base/error.h"

namespace cospadi {

namespace {

class UniformRule final : public AllocationRule {
  public:
    UniformRule() : AllocationRule(allocationWords().front().name) {}
    AllocationNeeds needs() const override { return {}; }
    std::optional<LayerRatios> allocate(const AllocationProblem& problem,
                                        const ProgressCallback& /*progress*/,
                                        const std::stop_token& /*stop*/) const override {
        LayerRatios result;
        for (const LayerInfo& layer : problem.layers) {
            result.ratios[layer.name] = problem.options.cr;
        }
        return result;
    }
};

}  // namespace

const AllocationRule& uniformRule() {
    static const UniformRule rule;
    return rule;
}

const std::vector<const AllocationRule*>& allocationRules() {
    static const std::vector<const AllocationRule*> all = {
        &uniformRule(), &knapsackRule(), &svdLlmV2Rule(), &compotRule(), &rocketRule()};
    return all;
}

const AllocationRule& allocationFromName(const std::string& name) {
    for (const AllocationRule* rule : allocationRules()) {
        if (name == rule->name()) {
            return *rule;
        }
    }
    static_cast<void>(allocationWordsOf(name));  // throws, listing those that there are
    throw Error(name + " has a description but no rule", "allocation", "report this as a defect");
}

}  // namespace cospadi
