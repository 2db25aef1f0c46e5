// Interactive ablation of one matrix: how the error moves with ρ, CR and the number of iterations,
// told point by point while it is being computed.
//
// Any method can be explored, and has what it has: a curve over CR where that decides over its
// bytes (Method::hasRatio), a curve over ρ where it uses `rho`, iterations where it tells them; a
// method without a ratio is one point. Solutions are carried over by methods with a dictionary.
//
// In order: what is known already, the setting at hand iteration by iteration, the low-rank
// reference over all CRs by one decomposition, then the curve over ρ and that over CR. Their values
// are solved side by side, one thread each, those first that span the curve, and told once settled:
// a few iterations of each would draw another curve (docs/benchmarks.md). Every value is what
// compressMatrix() stores, so that a run gives the same figures. What was settled once is
// remembered: dragging ρ leaves the curve over ρ as it is, and going back costs nothing. A new
// setting at hand begins with what the last solution comes to under it (iteration 0), or, at first,
// with where solving begins, which stands until solving is better; the solver itself begins afresh,
// since from its neighbour's solution a value ends up to 16 % higher (docs/benchmarks.md). Errors
// are whitened where the matrix has a Gram, else plain; there cospadi-free stands in for cospadi,
// and other methods that need a Gram are refused. Iterations of a data-free method are not told
// where there is a Gram, as their errors would be plain. Thread-safety: one call at a time an
// object. The callbacks come from several threads, never two at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/dictionary/iteration_summary.h"
#include "core/explore/matrix_portrait.h"
#include "core/methods/compress_matrix.h"

namespace cospadi {

enum class ExploreCurve { Here, Rho, Cr };  // the setting at hand; error(ρ); error(CR)

const char* name(ExploreCurve curve);  // "here", "rho", "cr"

struct ExploreRequest {
    MatrixOptions options;
    std::vector<double> rhos;  // of the curve at options.cr, where the method has one
    std::vector<double> crs;   // of the curve at options.rho, as well
};

struct ExplorePoint {
    ExploreCurve curve = ExploreCurve::Here;
    double cr = 0;              // of a method without a ratio: what its bytes come to
    double rho = 0;             // 0 where the method has none
    std::int64_t k = 0, s = 0;  // 0 where it has no dictionary
    std::string stored;         // in its form's words: "rank r = 120, …" (Form::describe)
    int iteration =
        0;  // done so far; 0: what solving, or the solution before, begins with; or none
    double relativeError = 0;
    double bytes = 0;      // of the budget, all parts (Method::plan)
    bool settled = false;  // of the stored factors: nothing better will come for this value
};

// One entry a CR: svd-llm, without a Gram svd, at the same storage, under the same ridge and
// refitting. Not told where that is the method itself.
struct ReferencePoint {
    double cr = 0;
    std::int64_t rank = 0;
    double relativeError = 0;
    double bytes = 0;
};

struct ExploreCallbacks {
    std::function<void(const std::vector<ReferencePoint>&)> reference;
    std::function<void(const ExplorePoint&)> point;
    std::function<void(const std::string&)> passedOver;  // a value without a budget, and why
};

class MatrixExplorer {
  public:
    // threads: 0 = all cores.
    explicit MatrixExplorer(MatrixAtHand matrix, int threads = 0);

    const MatrixAtHand& matrix() const { return m_matrix; }
    bool isWhitened() const { return m_matrix.whitening.has_value(); }
    // The setting at hand as it is solved: with the method that the matrix allows.
    MatrixOptions optionsOf(const ExploreRequest& request) const;

    // Converged when every value was done, Cancelled at the next iteration after a stop request.
    // Throw Error where the setting at hand is wrong or the solver fails. explore() is solveHere(),
    // then solveCurves(); of several matrices one wants the first of all before the second of any.
    Termination explore(const ExploreRequest& request, const ExploreCallbacks& callbacks,
                        const std::stop_token& stop = {});
    Termination solveHere(const ExploreRequest& request, const ExploreCallbacks& callbacks,
                          const std::stop_token& stop = {});  // with the reference, and all known
    Termination solveCurves(const ExploreRequest& request, const ExploreCallbacks& callbacks,
                            const std::stop_token& stop = {});  // what solveHere() did not tell

    std::vector<ReferencePoint> lowRankReference(const MatrixOptions& options,
                                                 const std::vector<double>& crs);

  private:
    MatrixOptions referenceOptions(const MatrixOptions& options) const;
    bool knowsReference(const MatrixOptions& options, const std::vector<double>& crs) const;

    MatrixAtHand m_matrix;
    int m_threads;
    StoredWeightPtr m_latest;  // of the last setting at hand that has a dictionary; or null
    const Method* m_latestMethod = nullptr;         // that it was found by
    std::map<std::string, double> m_lowRankErrors;  // of stored factors, by keyOf()
    // Settled values by their options: the way there, and the settled one last.
    std::map<std::string, std::vector<ExplorePoint>> m_known;
};

}  // namespace cospadi
