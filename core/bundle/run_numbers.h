// Every number that a run came to, under a name that says what it is of: what two machines that
// made the same run are compared by.
#pragma once

#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

struct RunNumber {
    std::string quantity;  // bytes, error, held-out-error, perplexity, piqa/acc_norm …
    // What it was measured on, the same wherever it was: the text's hash, not its path. Empty for
    // what is of the run alone.
    std::string on;
    double value = 0;
    double standardError = unknownNumber;
};

// Without seconds, which are a machine's and not the run's. Order: bytes, errors, perplexities,
// tasks, each in the order of the record.
std::vector<RunNumber> numbersOf(const RunRow& run);

// One line a number of all runs: id, label, quantity, what it is of, value, standard error.
ReportTable numbersTable(const std::vector<RunRow>& runs);

// A number of a run beside the one that it was to repeat.
struct ComparedNumber {
    std::string run;  // label
    RunNumber given;
    double repeated = unknownNumber;  // unknown: it was not measured

    bool isMeasured() const;
    bool isEqual() const { return repeated == given.value; }
    // |repeated − given| / |given|; 0 where both are 0.
    double difference() const;
};

std::vector<ComparedNumber> compared(const RunRow& given, const RunRow& repeated);

}  // namespace cospadi
