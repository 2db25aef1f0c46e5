#include "core/methods/compot/compot_method.h"

#include <algorithm>

#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/products/block_product.h"

namespace cospadi {

namespace {

constexpr double kPolarProducts = 10;  // of (d1, k) and (k, k), of Newton and Schulz

class CompotMethod final : public UndercompleteMethod {
  public:
    const char* name() const override { return "compot"; }
    const char* title() const override { return "COMPOT"; }
    const char* summary() const override {
        return "orthonormal dictionary of the whitened weight, by Procrustes steps";
    }
    const char* source() const override { return "COMPOT (arXiv 2602.15200)"; }
    bool needsCalibration() const override { return true; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {
            "iterations",         "cr",       "rho",       "accounting", "coefficient_bits",
            "coefficient_format", "refit",    "tolerance", "ridge",      "allocation",
            "propagation",        "held_out", "groups",    "refine",     "refine_rate",
            "dictionary_bits"};
        return all;
    }

    const std::vector<Option>& ownOptions() const override { return groupOptions(); }

    PhaseNames phases(const MatrixOptions& /*options*/) const override {
        return {"thresholding", "Procrustes"};
    }

    int usualIterations(const MatrixOptions& /*options*/) const override {
        return ProcrustesOptions().iterations;
    }

    double work(const MatrixOptions& options, std::int64_t rows, std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        const auto d2 = static_cast<double>(cols);
        const auto k = static_cast<double>(budget(options, rows, cols).k);
        const double n = std::min(d1, d2);
        const double spectrum = n * n * std::max(d1, d2) + 9 * n * n * n;
        const double iteration = 4 * d1 * d2 * k + kPolarProducts * 2 * d1 * k * k;
        return withIntegers(options, rows, cols,
                            spectrum + procrustesOptions(options).iterations * iteration);
    }

    WorkRate workRate(const MatrixOptions& options) const override {
        if (options.accounting == Accounting::Integers) {
            return {kIntegerFamily, kIntegerRate};
        }
        return {"procrustes", usualProductRate()};
    }

  protected:
    LearnedDictionary learn(SparseTarget& target, const SparseBudget& budget,
                            const MatrixOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) const override {
        return target.learn(budget.k, budget.s, procrustesOptions(options), callback, stop);
    }

  private:
    static ProcrustesOptions procrustesOptions(const MatrixOptions& options) {
        ProcrustesOptions procrustes;
        procrustes.iterations = options.iterations > 0 ? options.iterations : procrustes.iterations;
        procrustes.tolerance = options.tolerance;
        return procrustes;
    }
};

}  // namespace

const Method& compotMethod() {
    static const CompotMethod method;
    return method;
}

}  // namespace cospadi
