// Which of a run's lm-eval results stand in the paper's main tables: its eight tasks, normalized
// accuracy where a task has that, and two perplexities.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

struct PaperColumn {
    const char* key;    // of the published tables
    const char* title;  // as the paper heads it
};

inline constexpr std::array<PaperColumn, 2> kPaperPerplexities = {
    {{"wikitext", "WikiText"}, {"lambada_openai:perplexity", "LAMBADA ppl"}}};

// key: a task of kPaperTasks (average_accuracy.h), or one of the above. Accuracies in per cent; NaN
// where it was not measured.
double paperValue(const RunRow& run, const std::string& key);
double paperStandardError(const RunRow& run, const std::string& key);  // 0 where there is none

bool hasPaperResults(const RunRow& run);

// Of each task and metric only results stay that were measured as in most runs (version, shots,
// samples, data); of equals as with more samples. Returns how many went.
std::size_t keepUsualMeasures(std::vector<RunRow>& runs);

}  // namespace cospadi
