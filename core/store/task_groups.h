// Results of task groups, made of those of their tasks. Of the groups that lm-eval has, `mmlu` is
// one number of 57 subjects, and the only one that tables of the paper show.
#pragma once

#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Adds mmlu/acc where `results` hold every subject with the same version, shots, filter and data,
// as lm-eval aggregates (weight_by_size; checked against its own functions):
//
//   acc    = Σ nᵢ accᵢ / N,  N = Σ nᵢ
//   stderr = √( Σ nᵢ (nᵢ − 1) stderrᵢ² / (N − k) / N ),  k subjects; unknown where one of them is
//
// samples is N, file is empty. What lm-eval wrote of the group itself gives way to that: it says
// neither shots nor samples. Without all subjects nothing is added; a mean over those that happen
// to be there would be another number under the same name. Where subjects have answers to several
// numbers of items, those to the same number, and the most of each, make a result, the latter only
// where all have equally many answers: full sets and limited ones are not mixed.
void addTaskGroups(std::vector<TaskResultRow>& results);

}  // namespace cospadi
