#include "core/methods/rocket/rocket_method.h"

#include <algorithm>

#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"

namespace cospadi {

namespace {

constexpr const char* kImportanceExponent = "importance_exponent";
constexpr const char* kRestoredShare = "restored_share";

class RocketMethod final : public UndercompleteMethod {
  public:
    const char* name() const override { return "rocket"; }
    const char* title() const override { return "ROCKET"; }
    const char* summary() const override {
        return "eigenvectors of the whitened weight, thresholded once";
    }
    const char* source() const override { return "ROCKET (arXiv 2602.11008)"; }
    bool needsCalibration() const override { return true; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {
            kImportanceExponent, kRestoredShare,       "cr",     "rho",    "accounting",
            "coefficient_bits",  "coefficient_format", "refit",  "ridge",  "allocation",
            "propagation",       "held_out",           "groups", "refine", "refine_rate",
            "dictionary_bits"};
        return all;
    }

    const std::vector<Option>& ownOptions() const override {
        const EigenbasisOptions usual;
        static const std::vector<Option> own = {
            {kImportanceExponent,
             usual.lengthExponent,
             0,
             1,
             {},
             "λ",
             "Importance exponent",
             "Coefficients of a column to keep: those with the largest |c_ij| ‖L⁻¹ b_i‖^λ; 0: "
             "importance in the metric of the inputs, 1: in the weight itself",
             "2602.11008"},
            {kRestoredShare,
             usual.restoredShare,
             0,
             0.5,
             {},
             "β",
             "Restored share",
             "Fraction of a column's k coefficients removed below s and reassigned to the best "
             "entries of all columns; 0: every column keeps s",
             "2602.11008"},
            groupOptions().front()};
        return own;
    }

    PhaseNames phases(const MatrixOptions& /*options*/) const override {
        return {"thresholding", "least squares"};
    }

    double work(const MatrixOptions& options, std::int64_t rows, std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        const auto d2 = static_cast<double>(cols);
        const auto k = static_cast<double>(budget(options, rows, cols).k);
        const double n = std::min(d1, d2);
        const double spectrum = n * n * std::max(d1, d2) + 9 * n * n * n;
        const double products = 4 * 2 * d1 * d2 * k;  // P, W Cᵀ, and two errors
        return withIntegers(options, rows, cols,
                            spectrum + products + k * k * d2 + k * k * k / 3 + 2 * d1 * k * k);
    }

    WorkRate workRate(const MatrixOptions& options) const override {
        if (options.accounting == Accounting::Integers) {
            return {kIntegerFamily, kIntegerRate};
        }
        return {"low-rank", 10e9};  // an eigendecomposition in double
    }

  protected:
    LearnedDictionary learn(SparseTarget& target, const SparseBudget& budget,
                            const MatrixOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) const override {
        EigenbasisOptions eigenbasis;
        eigenbasis.lengthExponent = realOption(options, kImportanceExponent);
        eigenbasis.restoredShare = realOption(options, kRestoredShare);
        return target.learn(budget.k, budget.s, eigenbasis, callback, stop);
    }
};

}  // namespace

const Method& rocketMethod() {
    static const RocketMethod method;
    return method;
}

}  // namespace cospadi
