// What a sweep will cost, told before it starts: bytes from the budgets, memory and seconds from
// cost_estimate.h, with the rates that this machine showed in earlier runs where there are any.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/model_info.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep.h"
#include "core/sweep/taken_matrices.h"

namespace cospadi {

// Floating-point operations a core-second, by method family and solver; tokens a second of
// evaluations.
class MeasuredRates {
  public:
    // From the newest finished runs that the store knows of a machine with this processor and as
    // many cores, begun on the same device; empty: on that of the newest of them.
    static MeasuredRates ofThisMachine(const RunStore& store, const std::string& device = "cpu");

    void learn(const RunSpecification& specification, const std::vector<MatrixRow>& matrices);
    // seconds: of a calibration pass that was not taken from the cache, on `cores` cores; matrices:
    // all linear layers of the model.
    void learnCalibration(const CalibrationSpecification& calibration,
                          const std::vector<MatrixRow>& matrices, double seconds, int cores);
    // Perplexities of a run, or of the model itself.
    void learnEvaluations(const RunRow& run);
    // 0 where nothing like it has been measured.
    double rate(const RunSpecification& specification) const;
    double calibrationRate() const;
    // That perplexity reads of this model, or of runs of it.
    double tokensPerSecond(const std::string& modelSha256) const;
    bool empty() const { return m_sums.empty(); }

  private:
    struct Sum {
        double work = 0;
        double seconds = 0;
    };
    std::map<std::string, Sum> m_sums;
    Sum m_calibration;
    std::map<std::string, Sum> m_evaluations;  // tokens, by model
};

struct JobEstimate {
    std::int64_t matrices = 0;
    double bytes = 0;               // of the compressed layers, as the budgets count them
    double memoryBytes = 0;         // at the peak
    double seconds = 0;             // left to do without calibration; 0 for a finished job
    bool measured = false;          // seconds rest on earlier runs, not on an assumed rate
    double calibrationSeconds = 0;  // before it; 0 where its sums are kept, or another job's
    bool calibrationMeasured = false;
};

// One a job. Calibration is counted once for jobs that share it (its sums are kept), and no solving
// of a refined job whose matrices are there by then. Throws Error where a job's layers match
// nothing.
std::vector<JobEstimate> estimateSweep(const std::vector<SweepJob>& jobs,
                                       const MeasuredRates& rates, int cores,
                                       JobOrder order = JobOrder::OneByOne);

}  // namespace cospadi
