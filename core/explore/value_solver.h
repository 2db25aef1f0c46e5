// Solves settings of one matrix, one after the other or side by side, and tells their points: what
// is known already, what the solution before comes to, every iteration of the setting at hand, the
// stored factors' error. Thread-safety: one call at a time; points are told from several threads,
// never two at a time.
#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/explore/explore.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/option_key.h"

namespace cospadi {

// What the setting takes away: as asked, or, of a method that goes by no ratio, as it comes out.
double ratioOf(const MatrixOptions& options, const LayerInfo& layer);

struct ExploredValue {
    ExploreCurve curve;
    MatrixOptions options;
};

// Settled values by keyOf(): the way there, and the settled one last.
using KnownValues = std::map<std::string, std::vector<ExplorePoint>>;

class ValueSolver {
  public:
    // All of these must outlive it. threads > 0. known: of earlier explorations; grows.
    ValueSolver(const MatrixAtHand& matrix, int threads, const ExploreCallbacks& callbacks,
                const std::stop_token& stop, KnownValues& known);

    bool isKnown(const ExploredValue& value) const;
    // Of the setting at hand every iteration, of a value on a curve what stands there.
    void tellIfKnown(const ExploredValue& value);
    // The setting at hand before its first iteration: as the solution before has it, by the same
    // method, or, where there is none (null), as solving begins.
    void tellBeginning(CpuBackend& backend, const ExploredValue& value,
                       const SparseDictionaryFactors* before);
    // Empty when cancelled. Throws as compressMatrix() does.
    StoredWeightPtr solve(CpuBackend& backend, const ExploredValue& value,
                          const std::stop_token& stop);
    // All values in this order, side by side, one thread each. False when cancelled.
    bool solveAll(const std::vector<ExploredValue>& values);

  private:
    const Whitening* whitening() const;
    ExplorePoint pointOf(const ExploredValue& value) const;
    bool tellsIterations(const Method& method) const;
    void tell(ExplorePoint point, ExploreCurve curve);

    const MatrixAtHand& m_matrix;
    int m_threads;
    const ExploreCallbacks& m_callbacks;
    const std::stop_token& m_stop;
    KnownValues& m_known;
    std::mutex m_mutex;
};

}  // namespace cospadi
