// Methods whose form is the sparse dictionary (paper eq 3): what they share but for how D and S are
// learned.
#pragma once

#include "core/methods/method.h"
#include "core/methods/sparse_dictionary/sparse_target.h"

namespace cospadi {

class SparseMethod : public Method {
  public:
    const char* form() const override { return SparseDictionaryWeight::kForm; }

    // The side that the options mean for a layer, and its budget there: k, s and bytes. Throw Error
    // as sparseBudget() does, and where the method cannot have that side.
    virtual DictionarySide side(const MatrixOptions& options, std::int64_t d1,
                                std::int64_t d2) const = 0;
    virtual SparseBudget budget(const MatrixOptions& options, std::int64_t d1,
                                std::int64_t d2) const;

    // Which atoms a column may use: any, unless the method has an option of its own for it.
    virtual NmPattern codePattern(const MatrixOptions& options) const;

    StoragePlan plan(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const override;
    int coefficientBits(const MatrixOptions& options, std::int64_t d1,
                        std::int64_t d2) const override;
    double workingFloats(const MatrixOptions& options, std::int64_t d1,
                         std::int64_t d2) const override;
    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& callback,
                           const std::stop_token& stop) const override;

    // Throws Error where bits of integers are out of range.
    void validate(const MatrixOptions& options) const override;

  protected:
    // The layers of the problem with their own metrics, the ridge added; the one that it is of.
    static std::vector<MetricLayer> metricLayers(const MatrixProblem& problem,
                                                 DictionarySide side = DictionarySide::Input);
    // What is asked of the layer, or layers: of the wide layer in its metric.
    virtual std::unique_ptr<SparseTarget> target(const MatrixProblem& problem,
                                                 DictionarySide side) const;
    virtual LearnedDictionary learn(SparseTarget& target, const SparseBudget& budget,
                                    const MatrixOptions& options, const IterationCallback& callback,
                                    const std::stop_token& stop) const = 0;

    // Of a solver's work, that with what integers take: fitting them, and trials of their bits.
    double withIntegers(const MatrixOptions& options, std::int64_t d1, std::int64_t d2,
                        double solver) const;

  private:
    // What a layer may come to: budget(), where bits of integers are left to trial the largest.
    SparseBudget plannedBudget(const MatrixOptions& options, std::int64_t d1,
                               std::int64_t d2) const;
    CompressedMatrix solveAs(const MatrixProblem& problem, const IterationCallback& callback,
                             const std::stop_token& stop) const;
};

// Those whose atoms begin with orthonormal directions of the inputs, and may stay such: at most
// min(d1, d2).
class UndercompleteMethod : public SparseMethod {
  public:
    DictionarySide side(const MatrixOptions& options, std::int64_t d1,
                        std::int64_t d2) const override;
    SparseBudget budget(const MatrixOptions& options, std::int64_t d1,
                        std::int64_t d2) const override;
    // Not, as published; but a dictionary of eight bits needs it.
    bool usuallyRefits(const MatrixOptions& options) const override;
};

// Of such a method; throw Error for another.
DictionarySide sideOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
SparseBudget sparseBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
NmPattern codePatternOf(const MatrixOptions& options);  // of another: any
// Whether the method is one: its form is a dictionary and codes.
bool isSparse(const Method& method);

// How near factors that were found under other options come under these, in the time of an
// iteration: the k atoms of most weight with the s largest of their codes in every column, fitted
// in a few steps. An upper bound in practice of what solving anew gives, not rounded. nullopt where
// the dictionary stands on the other side, or columns may not use any atoms.
std::optional<double> errorOfCarriedOver(Backend& backend, const Eigen::MatrixXf& w,
                                         const Whitening* whitening,
                                         const SparseDictionaryFactors& known,
                                         const MatrixOptions& options);

// Where solving begins: the error of the k leading left singular vectors of W_L with the s largest
// projections of every column, orthonormal atoms, so that it is 1 − ‖S‖² / ‖W_L‖² under a root. Of
// 1024 columns spread over W, in a fraction of an iteration's time where there are more. nullopt
// where the dictionary stands on the outputs' side, columns may not use any atoms, W is tall or the
// sample zero.
std::optional<double> errorOfBeginning(Backend& backend, const Eigen::MatrixXf& w,
                                       const Whitening* whitening, const MatrixOptions& options);

}  // namespace cospadi
