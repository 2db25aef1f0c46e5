#include "core/methods/rtn/rtn_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/forms/group_quantised/group_quantised_weight.h"
#include "core/tensors/dtype.h"

namespace cospadi {

namespace {

constexpr const char* kBits = "bits";
constexpr const char* kGroupSize = "group_size";
constexpr const char* kZeroPoint = "zero_point";
constexpr const char* kMinimum = "minimum";

struct Settings {
    int bits = 4;
    std::int64_t groupSize = 64;
    bool hasMinimums = true;
};

float asHalf(float value) { return halfToFloat(floatToHalf(value)); }

class RtnMethod final : public Method {
  public:
    const char* name() const override { return "rtn"; }
    const char* title() const override { return "RTN"; }
    const char* summary() const override {
        return "round to nearest: integers of a few bits, a scale a group";
    }
    const char* source() const override { return "baseline of GPTQ (arXiv 2210.17323)"; }
    const char* form() const override { return GroupQuantisedWeight::kForm; }
    bool needsCalibration() const override { return false; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {kBits, kGroupSize, kZeroPoint};
        return all;
    }

    const std::vector<Option>& ownOptions() const override {
        static const std::vector<Option> own = {
            {kBits, std::int64_t{4}, 2, 8, {}, "b", "Bits", "Bits of a code", ""},
            {kGroupSize,
             std::int64_t{64},
             1,
             1 << 20,
             {},
             "g",
             "Group size",
             "Inputs of an output that share a scale; divides the layer's inputs",
             ""},
            {kZeroPoint,
             std::string(kMinimum),
             0,
             0,
             {{kMinimum, "every group has a minimum beside its scale"},
              {"none", "codes lie around zero"}},
             "",
             "Zero point",
             "minimum: every group stores its least value too; none: codes lie around zero",
             ""}};
        return own;
    }

    StoragePlan plan(const MatrixOptions& options, std::int64_t d1,
                     std::int64_t d2) const override {
        const Settings s = settingsFor(options, d1);
        const double groups = static_cast<double>(d1 / s.groupSize) * static_cast<double>(d2);
        StoragePlan plan{GroupQuantisedWeight::factsOf(s.bits, s.groupSize, s.hasMinimums),
                         {{"codes", s.bits * static_cast<double>(d1) * static_cast<double>(d2) / 8},
                          {"scales", 2 * groups}}};
        if (s.hasMinimums) {
            plan.parts.push_back({"minimums", 2 * groups});
        }
        return plan;
    }

    double work(const MatrixOptions& /*options*/, std::int64_t d1, std::int64_t d2) const override {
        return 10 * static_cast<double>(d1) * static_cast<double>(d2);
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override { return {"rounding", 1e9}; }

    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& /*callback*/,
                           const std::stop_token& /*stop*/) const override {
        const Settings s = settingsFor(problem.options, problem.w.rows());
        GroupQuantisedCodes q;
        q.bits = s.bits;
        q.groupSize = s.groupSize;
        q.d1 = problem.w.rows();
        q.d2 = problem.w.cols();
        q.codes.resize(static_cast<std::size_t>(problem.w.size()));
        q.scales.resize(q.d1 / s.groupSize, q.d2);
        q.minimums.resize(s.hasMinimums ? q.scales.rows() : 0, s.hasMinimums ? q.d2 : 0);
        for (Eigen::Index j = 0; j < q.d2; ++j) {
            for (Eigen::Index group = 0; group < q.scales.rows(); ++group) {
                quantise(problem.w, group, j, q);
            }
        }
        CompressedMatrix result;
        result.termination = Termination::Converged;
        result.weight = std::make_shared<const GroupQuantisedWeight>(std::move(q));
        return result;
    }

  private:
    Settings settingsFor(const MatrixOptions& options, std::int64_t d1) const {
        Settings s;
        s.bits = static_cast<int>(wholeOption(options, kBits));
        s.groupSize = wholeOption(options, kGroupSize);
        s.hasMinimums = wordOption(options, kZeroPoint) == kMinimum;
        if (d1 % s.groupSize != 0) {
            throw Error(fmt::format("groups of {} do not divide {} inputs", s.groupSize, d1),
                        kGroupSize, "give a divisor, such as 32 or 64");
        }
        return s;
    }

    static void quantise(const Eigen::MatrixXf& w, Eigen::Index group, Eigen::Index j,
                         GroupQuantisedCodes& q) {
        const auto values = w.col(j).segment(group * q.groupSize, q.groupSize);
        const auto most = static_cast<float>((1 << q.bits) - 1);
        const bool hasMinimums = q.minimums.size() > 0;
        const float least = hasMinimums ? asHalf(values.minCoeff()) : 0;
        const float range =
            hasMinimums ? values.maxCoeff() - least : 2 * values.cwiseAbs().maxCoeff();
        const float scale = asHalf(range / most);
        const float zero = hasMinimums ? 0 : static_cast<float>(1 << (q.bits - 1));
        q.scales(group, j) = scale;
        if (hasMinimums) {
            q.minimums(group, j) = least;
        }
        for (Eigen::Index i = 0; i < q.groupSize; ++i) {
            const float code = scale > 0 ? std::round((values(i) - least) / scale) + zero : zero;
            q.codes[static_cast<std::size_t>(j * q.d1 + group * q.groupSize + i)] =
                static_cast<std::uint8_t>(std::clamp(code, 0.0F, most));
        }
    }
};

}  // namespace

const Method& rtnMethod() {
    static const RtnMethod method;
    return method;
}

}  // namespace cospadi
