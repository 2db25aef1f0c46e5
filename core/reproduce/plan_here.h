// An entry on this machine: planned against its folder of runs and its store, and what there is of
// it already. Command line, engine and window ask the same here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/phrase.h"
#include "core/reproduce/reproduction_run.h"

namespace cospadi {

// Throws Error with the reason of an entry that cannot be made yet.
void requireAvailable(const Reproduction& entry);

// The entry of resources/reproduce that `word` means (findReproduction()), one that can be made.
// Throws Error where there is none, and as requireAvailable() does.
Reproduction availableReproduction(const std::string& word);

// Without runs for an entry that needs none. device: that on which runs are to begin, whose rates
// tell the time. Throws as planReproduction() and planSweep() do.
ReproductionPlan planHere(const Reproduction& entry, ProtocolSize size, const std::string& model,
                          const std::string& device);

// What its runs are tagged with in the store.
std::string tagOf(const Reproduction& entry, ProtocolSize size);

// What own rows are called by.
std::string modelNameOf(const ReproductionPlan& plan, const std::string& model);

// One outcome a run of the plan with nothing made: what is missing is a hole. why: of runs that
// were just tried in vain, by their number.
std::vector<ReproductionOutcome> outcomesSoFar(const ReproductionPlan& plan, const RunStore& store,
                                               const std::map<std::size_t, std::string>& why = {});

// "refused", "to evaluate", "incomplete" (made again, then measured), else as name(JobState) has
// it.
std::string plannedState(const PlannedRun& run);
// "perplexity of wikitext2", "piqa, arc_easy, 25 items each": what is measured of each run.
std::vector<Phrase> measuredPhrases(const Protocol& protocol);

}  // namespace cospadi
