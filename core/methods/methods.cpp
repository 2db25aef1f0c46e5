#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/methods/compot/compot_method.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/geopair/geopair_method.h"
#include "core/methods/group_quantisation/gptq_method.h"
#include "core/methods/group_quantisation/rtn_method.h"
#include "core/methods/low_rank/asvd_method.h"
#include "core/methods/low_rank/fwsvd_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_llm_v2_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/method.h"
#include "core/methods/replaceme/replaceme_method.h"
#include "core/methods/rocket/rocket_method.h"
#include "core/methods/sparsegpt/sparsegpt_method.h"
#include "core/methods/wanda/wanda_method.h"

namespace cospadi {

namespace {

// Nothing is compressed, so that nothing of it is ever asked.
class DenseMethod final : public Method {
  public:
    const char* name() const override { return "dense"; }
    const char* title() const override { return "dense"; }
    const char* summary() const override { return "nothing is compressed: the baseline"; }
    const char* source() const override { return ""; }
    const char* form() const override { return ""; }
    bool needsCalibration() const override { return false; }
    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> none;
        return none;
    }
    StoragePlan plan(const MatrixOptions& /*options*/, std::int64_t d1,
                     std::int64_t d2) const override {
        return {nlohmann::json::object(), {{"dense", 2.0 * static_cast<double>(d1 * d2)}}};
    }
    double work(const MatrixOptions& /*options*/, std::int64_t /*d1*/,
                std::int64_t /*d2*/) const override {
        return 0;
    }
    WorkRate workRate(const MatrixOptions& /*options*/) const override { return {"dense", 1e9}; }
    CompressedMatrix solve(const MatrixProblem& /*problem*/, const IterationCallback& /*callback*/,
                           const std::stop_token& /*stop*/) const override {
        throw Error("the dense model has nothing to compress", "method", "");
    }
};

}  // namespace

const Method& denseMethod() {
    static const DenseMethod method;
    return method;
}

const std::vector<const Method*>& methods() {
    static const std::vector<const Method*> all = {
        &denseMethod(),     &rtnMethod(),       &gptqMethod(),        &wandaMethod(),
        &sparseGptMethod(), &replaceMeMethod(), &svdMethod(),         &fwsvdMethod(),
        &asvdMethod(),      &svdLlmMethod(),    &svdLlmV2Method(),    &compotMethod(),
        &rocketMethod(),    &geopairMethod(),   &cospadiFreeMethod(), &cospadiMethod()};
    return all;
}

const Method& usualMethod() { return cospadiMethod(); }

const Method* findMethod(const std::string& name) {
    const auto found = std::find_if(methods().begin(), methods().end(),
                                    [&](const Method* method) { return name == method->name(); });
    return found != methods().end() ? *found : nullptr;
}

std::string methodNames() {
    std::string names;
    for (const Method* method : methods()) {
        names += (names.empty()                ? ""
                  : method == methods().back() ? " or "
                                               : ", ") +
                 std::string(method->name());
    }
    return names;
}

const Method& methodFromName(const std::string& name) {
    const Method* found = findMethod(name);
    if (found == nullptr) {
        throw Error(fmt::format("'{}' is not a method", name), "method", "use " + methodNames());
    }
    return *found;
}

}  // namespace cospadi
