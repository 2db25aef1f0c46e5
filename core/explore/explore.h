// Interactive ablation of one matrix: how the error moves with ρ, CR and the number of iterations,
// told point by point while it is being computed.
//
// In order: what is known already, the setting at hand iteration by iteration, the low-rank
// reference over all CRs by one decomposition, then the curves over ρ and over CR: a few iterations
// of all values, then the rest of each, ρ before CR. Values are solved side by side, one thread
// each; every one is what compressMatrix() stores, so that a run gives the same figures. What was
// settled once is remembered: dragging ρ leaves the curve over ρ as it is, and going back costs
// nothing. A new setting at hand begins with what the last solution comes to under it (iteration
// 0), which stands until solving is better; the solver itself begins afresh, since from its
// neighbour's solution a value ends up to 16 % higher (docs/benchmarks.md). Errors are whitened
// where the matrix has a Gram, else plain; the data-free method stands in then. Thread-safety: one
// call at a time an object. The callbacks come from several threads, never two at a time.
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
    MatrixOptions options;     // method is chosen by what the matrix has; see above
    std::vector<double> rhos;  // of the curve at options.cr
    std::vector<double> crs;   // of the curve at options.rho
};

struct ExplorePoint {
    ExploreCurve curve = ExploreCurve::Here;
    double cr = 0;
    double rho = 0;
    std::int64_t k = 0, s = 0;
    int iteration = 0;  // done so far; 0: of the solution before, carried over
    double relativeError = 0;
    double bytes = 0;      // of the budget: dictionary, values and mask
    bool settled = false;  // of the stored factors, after all iterations of this pass
    bool last = false;     // nothing better will come for this value
};

// One entry a CR: the low-rank method at the same storage.
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
    MatrixOptions optionsOf(const ExploreRequest& request) const;

    MatrixAtHand m_matrix;
    int m_threads;
    StoredWeightPtr m_latest;                       // of the last setting at hand; or null
    std::map<std::string, double> m_lowRankErrors;  // of stored factors, by keyOf()
    // Settled values by their options: the way there, and the settled one last.
    std::map<std::string, std::vector<ExplorePoint>> m_known;
};

}  // namespace cospadi
