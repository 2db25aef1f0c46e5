// Bytes of the linear layers against perplexity: every run a point, every method a line. It takes
// bytes as they were measured and not the ratio that was asked for, so that methods that have none
// (integers of few bits, two of every four weights) stand beside those that do, and so that a model
// which came quantised is seen where it is.
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// Columns method, setting ("cr 0.2", "4 bits"), bits a weight (8 · bytes / weights), bytes, share
// of bf16, perplexity, front, and accuracy where runs have results of tasks; before them model and
// layers where there are several. A method's rows ascend in bytes, means over seeds. front is "yes"
// where no row of the same model and layers is as good in both bytes and perplexity and better in
// one (pareto_front.h).
//
// For each model and choice of layers the first row is the source form: the bytes of the layers in
// the model's own file, which loses nothing against itself, at the perplexity of a dense run; the
// bf16 bytes where a run does not know its source.
//
// What another program made stands where its bytes are stated (stated_compression.h): marked as
// imported, "bytes as stated" in its setting, with accuracy and no perplexity.
//
// accuracy: the mean over the tasks that most runs with results have, acc_norm where a task has it;
// empty for a run that lacks one of them.
//
// runs: finished ones, newest first. Throws Error where no compressed run has a perplexity, and
// none is imported with its bytes.
ReportTable paretoTable(const std::vector<RunRow>& runs);

}  // namespace cospadi
