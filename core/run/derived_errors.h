// Errors of a derived run's matrices, as every stored matrix is measured (compress_matrix.h): in
// the Grams that the run it was made of was solved with, where these are at hand.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/forms/matrix_record.h"
#include "core/model/model.h"
#include "core/run/run_reporter.h"
#include "core/run/unit_problems.h"
#include "core/store/run_specification.h"

namespace cospadi {

struct DerivedErrorOptions {
    bool calibrate = false;  // where Grams are not cached: compute them again
    int threads = 0;         // for that; 0 = all cores
};

class DerivedErrors {
  public:
    // model: with its own weights, and must outlive it. layers: those that will be measured, once
    // each. Where there are no Grams for them errors stay unknown, and a warning says why. Check
    // `stop` afterwards. Throws Error as calibrate() does, where it does.
    DerivedErrors(const RunSpecification& specification, const Model& model,
                  const std::vector<std::string>& layers, const DerivedErrorOptions& options,
                  RunReporter& report, const std::stop_token& stop);

    // Sets the record's errors. weight: what its file gives back. Thread-safe.
    void measure(MatrixRecord& record, const StoredWeight& weight, const LayerInfo& layer,
                 Backend& backend);

  private:
    std::optional<GramSet> m_grams;
    std::optional<UnitProblems> m_problems;
};

}  // namespace cospadi
