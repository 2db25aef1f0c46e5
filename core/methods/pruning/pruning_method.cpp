#include "core/methods/pruning/pruning_method.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dictionary/budget.h"

namespace cospadi {

namespace {

constexpr const char* kPattern = "pattern";

std::any readPattern(const std::string& word) {
    return nmPatternFromName(word, kPattern, NmPattern::kMostOfGroup);
}

}  // namespace

const std::vector<std::string>& PruningMethod::settings() const {
    static const std::vector<std::string> all = {kPattern,     "cr",          "ridge",
                                                 "allocation", "propagation", "held_out"};
    return all;
}

const std::vector<Option>& PruningMethod::ownOptions() const {
    static const std::vector<Option> own = described(
        {{kPattern,
          usualWord("unstructured"),
          0,
          0,
          {{"unstructured", "any weights, as many as the compression ratio allows"},
           {"2:4", "two of every four inputs of an output, CR 0.4375"},
           {"4:8", "four of every eight inputs of an output, CR 0.40625"}},
          "N:M",
          "Pattern",
          "Which weights may be kept: unstructured: any; N:M, such as 2:4: N of every M inputs of "
          "an output, regardless of the compression ratio; M must divide the layer's inputs",
          "",
          readPattern}});
    return own;
}

NmPattern PruningMethod::patternOf(const MatrixOptions& options) const {
    return wordOption<NmPattern>(options, kPattern);
}

bool PruningMethod::hasRatio(const MatrixOptions& options) const {
    return !patternOf(options).isGrouped();
}

void PruningMethod::requireShape(const MatrixOptions& options, std::int64_t d1,
                                 std::int64_t /*d2*/) const {
    const NmPattern pattern = patternOf(options);
    if (pattern.isGrouped() && d1 % pattern.group != 0) {
        throw Error(fmt::format("groups of {} do not divide {} inputs", pattern.group, d1),
                    kPattern, "use unstructured, or exclude the layer");
    }
}

std::int64_t PruningMethod::keptWeights(const MatrixOptions& options, std::int64_t d1,
                                        std::int64_t d2) const {
    requireShape(options, d1, d2);
    const NmPattern pattern = patternOf(options);
    return pattern.isGrouped() ? d1 / pattern.group * pattern.kept * d2
                               : prunedBudget(d1, d2, options.cr);
}

StoragePlan PruningMethod::plan(const MatrixOptions& options, std::int64_t d1,
                                std::int64_t d2) const {
    const NmPattern pattern = patternOf(options);
    const std::int64_t kept = keptWeights(options, d1, d2);
    const PrunedBytes bytes = prunedBytes(pattern, kept, d1, d2);
    return {PrunedWeight::factsOf(pattern, kept, d1, d2),
            {{"values", static_cast<double>(bytes.values)},
             {pattern.isGrouped() ? "places" : "mask", static_cast<double>(bytes.places)}}};
}

CompressedMatrix PruningMethod::solve(const MatrixProblem& problem,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& stop) const {
    const std::int64_t kept = keptWeights(problem.options, problem.w.rows(), problem.w.cols());
    auto entries = prune(problem, patternOf(problem.options), kept, stop);
    CompressedMatrix result;
    if (!entries) {
        result.termination = Termination::Cancelled;
        return result;
    }
    result.termination = Termination::Converged;
    result.weight = std::make_shared<const PrunedWeight>(*std::move(entries));
    return result;
}

}  // namespace cospadi
