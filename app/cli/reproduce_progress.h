// What is said while `cospadi reproduce` makes its runs: which one, how long it and all the rest
// will take by what the ones before it took of their predictions, and what it came to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/base/stopwatch.h"
#include "core/reproduce/reproduction_run.h"

namespace cospadi::cli {

class ReproductionProgress {
  public:
    // plan and session outlive this. Runs are in the store, with these tags, from their start on.
    ReproductionProgress(const ReproductionPlan& plan, std::vector<std::string> tags,
                         const Session& session);
    ReproductionProgress(const ReproductionProgress&) = delete;
    ReproductionProgress& operator=(const ReproductionProgress&) = delete;

    // With callbacks into this; the device is still to be set.
    ReproductionOptions& options() { return m_options; }

  private:
    void start(std::size_t number);
    void finish(std::size_t number, const JobOutcome& outcome, const std::string& hole);

    const ReproductionPlan& m_plan;
    std::vector<std::string> m_tags;
    ReproductionOptions m_options;
    RunProgress m_progress;
    ProgressLine m_line;
    std::set<std::string> m_notes;  // that were told
    Stopwatch m_watch;
    double m_left = 0;       // predicted seconds of what is not done
    double m_predicted = 0;  // of what is, and
    double m_taken = 0;      // what that took
    double m_pace = 1;
};

}  // namespace cospadi::cli
