#include "core/methods/cospadi/cospadi_options.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nm_pattern.h"
#include "core/methods/layer_groups.h"
#include "core/methods/output_metric.h"

namespace cospadi {

namespace {

constexpr int kMostOfCodes = 16;  // a choice of 8 has 14 bits, and streams take 16

std::any readCodePattern(const std::string& word) {
    const NmPattern pattern = nmPatternFromName(word, kCodePattern, kMostOfCodes);
    if (8 * pattern.kept < pattern.group) {
        throw Error(fmt::format("{} is a ρ above 8", word), kCodePattern,
                    "keep more atoms per group");
    }
    return pattern;
}

}  // namespace

const std::vector<std::string>& cospadiSettings(bool calibrated) {
    static const std::vector<std::string> plain = {"solver",
                                                   "update",
                                                   "coder",
                                                   "iterations",
                                                   "power_iterations",
                                                   "cr",
                                                   "rho",
                                                   "accounting",
                                                   "coefficient_bits",
                                                   "dictionary_bits",
                                                   "coefficient_format",
                                                   "refit",
                                                   "init",
                                                   "dead_atoms",
                                                   "coefficient_rounding",
                                                   "side",
                                                   "tolerance",
                                                   "seed",
                                                   kCodePattern,
                                                   "groups",
                                                   "refine",
                                                   "refine_rate"};
    static const std::vector<std::string> whitened = [] {
        std::vector<std::string> all = plain;
        all.insert(all.end(), {kGroupMetric, "ridge", "allocation", "propagation", "held_out",
                               "output_metric"});
        return all;
    }();
    return calibrated ? whitened : plain;
}

const std::vector<Option>& cospadiOptions(bool calibrated) {
    const Option codes = {
        kCodePattern,
        usualWord("unstructured"),
        0,
        0,
        {{"unstructured", "any s atoms per column, as in the paper"},
         {"2:4", "two of every four atoms, ρ 2"},
         {"4:8", "four of every eight atoms, ρ 2"},
         {"1:4", "one of every four atoms, ρ 4"}},
        "N:M",
        "Pattern of codes",
        "Which atoms a column of S may use: unstructured: any; N:M, such as 2:4: N of every M "
        "consecutive ones, so that ρ is M/N and each group stores the number of its combination",
        "limitations and future work",
        readCodePattern,
        true};
    static const std::vector<Option> free = described({groupOptions().front(), codes});
    static const std::vector<Option> whitened = described(
        {groupOptions().front(),
         codes,
         {kGroupMetric,
          usualWord("mean"),
          0,
          0,
          {{"mean", "the mean of the layers' Grams, as in the paper"},
           {"balanced",
            "the mean of the Grams, but with equal weight for each layer's relative error"},
           {kProbed, "the same, but weighted by the measured cost to the predictions"},
           {"own", "each layer's own Gram: exact"}},
          "",
          "Metric of groups",
          "groups: metric for the errors of sharing layers: mean: mean of their Grams, as in the "
          "paper; balanced: the same with every layer and Gram scaled to one size, so that "
          "relative errors count equally; probed: balanced, weighted by the cost of a layer's "
          "errors to the predictions, measured once per model; own: each layer's own Gram",
          "appendix on grouped details",
          nullptr,
          true},
         outputMetricOptions().front()});
    return calibrated ? whitened : free;
}

}  // namespace cospadi
