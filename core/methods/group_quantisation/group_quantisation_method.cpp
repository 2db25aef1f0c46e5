#include "core/methods/group_quantisation/group_quantisation_method.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr const char* kBits = "bits";
constexpr const char* kGroupSize = "group_size";
constexpr const char* kZeroPoint = "zero_point";
enum class ZeroPoint { Minimum, None };  // as the choices

}  // namespace

const std::vector<Option>& GroupQuantisationMethod::groupOptions() {
    static const std::vector<Option> all = described(
        {{kBits, std::int64_t{4}, 2, 8, {}, "b", "Bits", "Bits per code", ""},
         {kGroupSize,
          std::int64_t{64},
          1,
          1 << 20,
          {},
          "g",
          "Group size",
          "Number of inputs of an output that share a scale; must divide the layer's inputs",
          ""},
         {kZeroPoint,
          usualWord("minimum"),
          0,
          0,
          {{"minimum", "every group stores a minimum and a scale"},
           {"none", "codes are symmetric around zero"}},
          "",
          "Zero point",
          "minimum: every group also stores its minimum; none: codes are symmetric around zero",
          ""}});
    return all;
}

StoragePlan GroupQuantisationMethod::plan(const MatrixOptions& options, std::int64_t d1,
                                          std::int64_t d2) const {
    const GroupSettings s = groupSettings(options, d1);
    const std::int64_t count =
        d1 / s.groupSize * d2;  // they divide: groupSettings() refuses others
    const auto groups = static_cast<double>(count);
    StoragePlan plan{GroupQuantisedWeight::factsOf(s.bits, s.groupSize, s.hasMinimums),
                     {{"codes", s.bits * static_cast<double>(d1) * static_cast<double>(d2) / 8},
                      {"scales", 2 * groups}}};
    if (s.hasMinimums) {
        plan.parts.push_back({"minimums", 2 * groups});
    }
    return plan;
}

GroupSettings GroupQuantisationMethod::groupSettings(const MatrixOptions& options,
                                                     std::int64_t d1) const {
    requireShape(options, d1, 0);  // whatever the outputs
    GroupSettings s;
    s.bits = static_cast<int>(wholeOption(options, kBits));
    s.groupSize = wholeOption(options, kGroupSize);
    s.hasMinimums = choiceOption<ZeroPoint>(options, kZeroPoint) == ZeroPoint::Minimum;
    return s;
}

void GroupQuantisationMethod::requireShape(const MatrixOptions& options, std::int64_t d1,
                                           std::int64_t /*d2*/) const {
    const std::int64_t groupSize = wholeOption(options, kGroupSize);
    if (d1 % groupSize != 0) {
        throw Error(fmt::format("groups of {} do not divide {} inputs", groupSize, d1), kGroupSize,
                    "give a divisor, such as 32 or 64");
    }
}

}  // namespace cospadi
