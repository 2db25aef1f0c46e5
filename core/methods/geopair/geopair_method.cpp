#include "core/methods/geopair/geopair_method.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"

namespace cospadi {

namespace {

constexpr const char* kPursuitSteps = "pursuit_steps";
constexpr const char* kPursuitCgSteps = "pursuit_cg_steps";

class GeopairMethod final : public UndercompleteMethod {
  public:
    const char* name() const override { return "geopair"; }
    const char* title() const override { return "GeoPair"; }
    const char* summary() const override {
        return "a sparse dictionary for two layers, each in the metric of its own inputs";
    }
    const char* source() const override { return "GeoPair"; }
    bool needsCalibration() const override { return true; }
    bool solvesByParts(const MatrixOptions& /*options*/) const override { return true; }
    std::size_t mostLayersInUnit() const override { return 2; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {
            "groups",     "iterations",       "cr",
            "rho",        kPursuitSteps,      kPursuitCgSteps,
            "accounting", "coefficient_bits", "coefficient_format",
            "refit",      "tolerance",        "ridge",
            "refine",     "refine_rate"};
        return all;
    }

    const std::vector<Option>& ownOptions() const override {
        const PairOptions usual;
        static const std::vector<Option> own = {
            groupOptions().front(),
            {kPursuitSteps,
             std::int64_t{usual.pursuitSteps},
             1,
             100,
             {},
             "",
             "Pursuit steps",
             "Steps of hard-thresholding pursuit per iteration",
             "GeoPair"},
            {kPursuitCgSteps,
             std::int64_t{usual.cgSteps},
             1,
             1000,
             {},
             "",
             "CG steps of pursuit",
             "Steps of conjugate gradients on the support after each hard-thresholding step",
             "GeoPair"}};
        return own;
    }

    void validate(const MatrixOptions& options) const override {
        validateOwnOptions(options);
        if (options.accounting == Accounting::Integers) {
            throw Error(
                "integers are fitted in a single metric, but each layer of a pair has its own",
                "accounting", "use packed8, or another method");
        }
    }

    PhaseNames phases(const MatrixOptions& /*options*/) const override {
        return {"pursuit", "least squares, both metrics"};
    }

    int usualIterations(const MatrixOptions& /*options*/) const override {
        return PairOptions().iterations;
    }

    double work(const MatrixOptions& options, std::int64_t rows, std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        const auto d2 = static_cast<double>(cols);
        const auto k = static_cast<double>(budget(options, rows, cols).k);
        const PairOptions pair = pairOptions(options);
        const double spectra = 14 * k * k * k + 4 * d1 * k * (d1 + k);
        const double squares = 2 * k * k * d2 + 2 * d1 * d2 * k;
        const double coding =
            2 * d1 * d2 * k + d1 * k * k + 2 * k * k * d2 * pair.pursuitSteps * (pair.cgSteps + 2);
        return 23 * d1 * d1 * d1 + 2 * d1 * d1 * d2 +
               pair.iterations * (spectra + squares + coding);
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override {
        return {"geopair", 20e9};  // products in float32, and decompositions in double
    }

    // Those of a sparse dictionary; the Grams, their basis and G W in double.
    double workingFloats(const MatrixOptions& options, std::int64_t d1,
                         std::int64_t d2) const override {
        const auto rows = static_cast<double>(d1);
        const auto k = static_cast<double>(budget(options, d1, d2).k);
        return UndercompleteMethod::workingFloats(options, d1, d2) +
               2 * (4 * rows * rows + rows * static_cast<double>(d2) + 6 * k * k);
    }

  protected:
    std::unique_ptr<SparseTarget> target(const MatrixProblem& problem,
                                         DictionarySide /*side*/) const override {
        return pairTarget(problem.backend, metricLayers(problem));
    }

    LearnedDictionary learn(SparseTarget& target, const SparseBudget& budget,
                            const MatrixOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) const override {
        return target.learn(budget.k, budget.s, pairOptions(options), callback, stop);
    }

  private:
    PairOptions pairOptions(const MatrixOptions& options) const {
        PairOptions pair;
        pair.iterations = options.iterations > 0 ? options.iterations : pair.iterations;
        pair.pursuitSteps = static_cast<int>(wholeOption(options, kPursuitSteps));
        pair.cgSteps = static_cast<int>(wholeOption(options, kPursuitCgSteps));
        pair.tolerance = options.tolerance;
        return pair;
    }
};

}  // namespace

const Method& geopairMethod() {
    static const GeopairMethod method;
    return method;
}

}  // namespace cospadi
