// The perplexity that a list of runs shows: by the measure that most of its runs have
// (core/report/run_metrics.h), as those of different texts, contexts or lengths do not compare. A
// run that has only others shows its latest with an asterisk; it is not sorted or compared by it.
#pragma once

#include <QString>
#include <vector>

#include "core/report/run_metrics.h"
#include "core/store/run_row.h"

namespace cospadi::ui {

class ListedPerplexity {
  public:
    explicit ListedPerplexity(const std::vector<RunRow>& runs = {});

    // NaN where the run was not measured in this way.
    double of(const RunRow& run) const;
    QString text(const RunRow& run) const;  // 30.04, 27.71* of another measure, an en dash
    QString tip(const RunRow& run) const;   // what it was measured on
    QString help() const;                   // of the column

  private:
    Measure m_measure;
};

// Two decimals where perplexities are of use, whole numbers above.
QString formatPerplexity(double perplexity);

}  // namespace cospadi::ui
