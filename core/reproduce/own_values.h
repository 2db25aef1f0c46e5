// The numbers of one's own runs by the names of the paper's columns, each by one measure for all
// runs of a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report/mean_accuracy.h"
#include "core/report/report_table.h"
#include "core/report/run_metrics.h"

namespace cospadi {

// Whether runs can have it: average (mean_accuracy.h), average:acc, a metric such as error or
// perplexity, TASK/METRIC of any task, a key of the published tables that a task here measures
// (piqa, lambada_openai:perplexity), or throughput (meanThroughput()).
bool isOwnValue(const std::string& name);

// The column of such a name, or of a key that only the paper has.
ReportColumn columnOfValue(const std::string& name, const std::string& title);

class OwnValues {
  public:
    // runs: of one protocol; they outlive this.
    explicit OwnValues(const std::vector<RunRow>& runs);

    // Empty where the run has none. Accuracies in per cent, with the standard error over items.
    ReportCell of(const RunRow& run, const std::string& name) const;
    // Of what the average is; on what text the perplexity. For the columns of these names.
    std::vector<std::string> notes(const std::vector<std::string>& names) const;
    // Which metric of which task the column of a TASK/METRIC is, and over how many items; empty for
    // other names, and where no run has it.
    std::string metricNote(const std::string& name, const std::string& title) const;

  private:
    struct Measured {
        std::string metric;
        Measure measure;
    };

    MeanAccuracy m_average;
    std::vector<Measured> m_averaged;
    std::vector<TaskResultRow> m_plainAverage;  // one a task
    Measure m_perplexity;
    std::map<std::string, Measured> m_tasks;  // by TASK/METRIC, and by the paper's key
};

}  // namespace cospadi
