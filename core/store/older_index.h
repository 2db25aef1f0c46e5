// The index and tables.json used to stand beside the folder of runs, where all folders with the
// same parent shared them; now they stand in it. This takes older ones over.
#pragma once

namespace cospadi {

// Where storePath() has no index and its parent's folder has one: copies that index, and
// tables.json. Runs of other folders beside this one are left out; runs elsewhere and annotations
// stay, and are written to the runs (run_annotations.h). The older files are left as they are. Does
// nothing where the folder of runs may not be written or the older file is damaged or none of ours;
// throws Error where it is busy or newer, for it may be taken over later.
void adoptOlderIndex();

}  // namespace cospadi
